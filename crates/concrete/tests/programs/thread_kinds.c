// GCC
// OUTPUT recursive 0 0 0
// OUTPUT checking 35 16 1
// OUTPUT static 0 35
// OUTPUT rwlock 0 16 35 0
// OUTPUT semaphore 0 -1 0
// OUTPUT barrier -1
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t mutex;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_t barrier;
    sem_t semaphore;
    int value;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &kind);
    int first = pthread_mutex_lock(&mutex), second = pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("recursive %d %d %d\n", first, second, pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &kind);
    pthread_mutex_lock(&mutex);
    first = pthread_mutex_lock(&mutex);
    second = pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
    printf("checking %d %d %d\n", first, second, pthread_mutex_unlock(&mutex));
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&checking);
    printf("static %d %d\n", pthread_mutex_lock(&recursive), pthread_mutex_lock(&checking));
    first = pthread_rwlock_wrlock(&lock);
    second = pthread_rwlock_tryrdlock(&lock);
    value = pthread_rwlock_wrlock(&lock);
    printf("rwlock %d %d %d %d\n", first, second, value, pthread_rwlock_unlock(&lock));
    sem_init(&semaphore, 0, 1);
    first = sem_trywait(&semaphore);
    second = sem_trywait(&semaphore);
    sem_getvalue(&semaphore, &value);
    printf("semaphore %d %d %d\n", first, second, value);
    pthread_barrier_init(&barrier, 0, 1);
    printf("barrier %d\n", pthread_barrier_wait(&barrier));
    return 0;
}
