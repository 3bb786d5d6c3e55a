/* Two tasks that share two buffers, each behind a lock. The second takes the locks the other way round. */
void take_input(int task);
void take_output(int task);
void give_input(int task);
void give_output(int task);
int more_work(int task);

static void copy(int task)
{
    take_input(task);
    take_output(task);
    give_output(task);
    give_input(task);
}

static void copy_back(int task)
{
    take_output(task);
    take_input(task);
    give_input(task);
    give_output(task);
}

int first(void)
{
    int rounds = 0;

    while (rounds < 3 && more_work(1)) {
        copy(1);
        rounds++;
    }
    return rounds;
}

int second(void)
{
    int rounds = 0;

    while (rounds < 3 && more_work(2)) {
        copy_back(2);
        rounds++;
    }
    return rounds;
}
