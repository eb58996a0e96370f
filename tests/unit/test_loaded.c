/* What is found in the objects that are loaded, with each kind of hash table, must be what the
 * dynamic linker finds. */
#include "system/loaded.h"
#include "unit.h"
#include "unit_library.h"

/* What its dynamic section has, and what that lacks. */
static void look_into_section(const struct ftc_loaded *object)
{
    const char *string = ftc_loaded_table(object, DT_STRTAB);

    ck_assert_str_eq(string + ftc_loaded_number(object, DT_SONAME), ftc_loaded_name(object));
    ck_assert_uint_eq(ftc_loaded_number(object, DT_SYMENT), sizeof(ElfW(Sym)));
    ck_assert_uint_eq(ftc_loaded_number(object, DT_RUNPATH), 0);
    ck_assert_ptr_null(ftc_loaded_table(object, DT_VERDEF));
}

static void look_into(const char *file, const char *soname)
{
    void *library = unit_open_library(file), *here = dlsym(library, "here");
    struct ftc_loaded object, behind;
    uintptr_t start, bytes;

    ck_assert(ftc_loaded_around(here, &object));
    ck_assert_ptr_eq(ftc_loaded_function(&object, "here"), here);
    ck_assert_ptr_null(ftc_loaded_function(&object, "there"));
    ck_assert_ptr_null(ftc_loaded_function(&object, "printf"));
    ck_assert_str_eq(ftc_loaded_name(&object), soname);
    look_into_section(&object);
    ck_assert(!ftc_loaded_is_program(&object));
    ftc_loaded_code(&object, &start, &bytes);
    ck_assert_uint_lt((uintptr_t)here - start, bytes);
    ck_assert(ftc_loaded_behind((const void *)(uintptr_t)look_into, "here", &behind));
    ck_assert(ftc_loaded_is_same(&object, &behind));
    ck_assert(!ftc_loaded_behind(here, "here", &behind));
    dlclose(library);
}

START_TEST(finds_by_gnu_hash)
{
    look_into("libgnu.so", "libgnu.so.1");
}
END_TEST

START_TEST(finds_by_old_hash)
{
    look_into("libsysv.so", "libsysv.so.1");
}
END_TEST

START_TEST(finds_the_program_and_the_c_library)
{
    struct ftc_loaded program, first, libc;
    void *native = ftc_loaded_native_dlsym();

    ck_assert(ftc_loaded_around((const void *)(uintptr_t)look_into, &program));
    ck_assert(ftc_loaded_is_program(&program));
    ck_assert(ftc_loaded_around(native, &libc));
    ck_assert(!ftc_loaded_is_same(&program, &libc));
    ck_assert(ftc_loaded_program(&first) && ftc_loaded_is_same(&program, &first));
    ck_assert_uint_eq(ftc_loaded_identity(&program), ftc_loaded_identity(&first));
    ck_assert_uint_ne(ftc_loaded_identity(&program), ftc_loaded_identity(&libc));
    ck_assert_ptr_eq(ftc_loaded_dlsym(RTLD_DEFAULT, "getppid"), dlsym(RTLD_DEFAULT, "getppid"));
    ck_assert_ptr_eq(ftc_loaded_function(&libc, "getppid"), dlsym(RTLD_DEFAULT, "getppid"));
}
END_TEST

START_TEST(finds_nothing_around_data)
{
    struct ftc_loaded object;
    char on_stack = 0;

    ck_assert(!ftc_loaded_around(&on_stack, &object));
    ck_assert(!ftc_loaded_around(NULL, &object));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("loaded");
    UNIT_TEST(finds_by_gnu_hash);
    UNIT_TEST(finds_by_old_hash);
    UNIT_TEST(finds_the_program_and_the_c_library);
    UNIT_TEST(finds_nothing_around_data);
    UNIT_END();
}
