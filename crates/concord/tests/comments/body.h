//@ assert x == LIM;
