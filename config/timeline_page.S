/* Page of ftcoll timeline, as bytes. */
    .section .rodata
    .globl ftc_timeline_page, ftc_timeline_page_bytes
    .hidden ftc_timeline_page, ftc_timeline_page_bytes
    .balign 8
ftc_timeline_page_bytes:
    .8byte end - ftc_timeline_page
ftc_timeline_page:
    .incbin "config/timeline.html"
end:

    .section .note.GNU-stack, "", %progbits
