AG(level >= 0 & level <= 3);
AG(level = 3 -> AF(alarm = 1));
AG(alarm = 0);
AG(EF(level = 0))
