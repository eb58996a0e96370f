/* early: a library that has a thread before the program begins, by a module that it opens when it
 * is loaded, as UCX has one from 1.18 on. At the end of the process it asks whether the thread is
 * there. With -DMODULE: that module. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#ifdef MODULE

static sem_t question, answer;

static void *serve(void *unused)
{
    while (sem_wait(&question) == 0)
        sem_post(&answer);
    return unused;
}

__attribute__((constructor)) static void start(void)
{
    pthread_t thread;

    sem_init(&question, 0, 0);
    sem_init(&answer, 0, 0);
    if (pthread_create(&thread, NULL, serve, NULL) != 0)
        perror("early: pthread_create");
}

__attribute__((destructor)) static void ask(void)
{
    sem_post(&question);
    while (sem_wait(&answer) != 0)
        ;
    puts("early: its thread answers");
}

#else

__attribute__((constructor)) static void open_module(void)
{
    if (!dlopen("early_module.so", RTLD_NOW | RTLD_LOCAL))
        fprintf(stderr, "early: %s\n", dlerror());
}

#endif
