/* A library for test_loaded.c, which has it with each kind of hash table, and for test_symbol.c. */
int here(void);
int needs_there(void);
int there(void) __attribute__((weak));

int here(void)
{
    return 7;
}

/* So that it names a function that it does not define. */
int needs_there(void)
{
    return there ? there() : -1;
}
