/* The page of ftcoll timeline, as bytes. */
    .section .rodata
    .globl ftc_timeline_page, ftc_timeline_page_end
    .hidden ftc_timeline_page, ftc_timeline_page_end
ftc_timeline_page:
    .incbin "config/timeline.html"
ftc_timeline_page_end:

    .section .note.GNU-stack, "", %progbits
