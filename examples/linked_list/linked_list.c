/* A sorted list of jobs. Removing the finished ones reads a job after it was freed. */
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id;
    int minutes_left;
    struct job *next;
};

static void add(struct job **list, int id, int minutes)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        exit(1);
    job->id = id;
    job->minutes_left = minutes;
    while (*list && (*list)->minutes_left <= minutes)
        list = &(*list)->next;
    job->next = *list;
    *list = job;
}

static int remove_finished(struct job **list)
{
    int removed = 0;
    for (struct job *job = *list; job; job = job->next) { /* job was freed in the round before */
        if (job->minutes_left > 0)
            break;
        *list = job->next;
        printf("job %d is done\n", job->id);
        free(job);
        removed++;
    }
    return removed;
}

int main(void)
{
    struct job *jobs = NULL;

    add(&jobs, 1, 2);
    add(&jobs, 2, 1);
    add(&jobs, 3, 4);
    for (int minute = 1; jobs; minute++) {
        for (struct job *job = jobs; job; job = job->next)
            job->minutes_left--;
        if (remove_finished(&jobs))
            printf("after %d minutes\n", minute);
    }
    return 0;
}
