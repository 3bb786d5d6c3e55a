/* Readers and writers share a table. A controller lets several readers in, or one writer. */
enum { START_READ, END_READ, START_WRITE, END_WRITE };

int next_request(int readers, int writing); /* one of the above; only what may happen now is accepted */
void start_read(int reader);
void end_read(int reader);
void start_write(int writer);
void end_write(int writer);

int controller(void)
{
    int readers = 0;
    int writing = 0;

    while (1) {
        switch (next_request(readers, writing)) {
        case START_READ:
            readers = readers + 1;
            break;
        case END_READ: /* the mistake: one reader leaves, and all are forgotten */
            readers = 0;
            break;
        case START_WRITE:
            writing = 1;
            break;
        default:
            writing = 0;
            break;
        }
    }
    return 0;
}

int reader_1(void)
{
    while (1) {
        start_read(1);
        end_read(1);
    }
    return 0;
}

int reader_2(void)
{
    while (1) {
        start_read(2);
        end_read(2);
    }
    return 0;
}

int writer_1(void)
{
    while (1) {
        start_write(1);
        end_write(1);
    }
    return 0;
}

int writer_2(void)
{
    while (1) {
        start_write(2);
        end_write(2);
    }
    return 0;
}
