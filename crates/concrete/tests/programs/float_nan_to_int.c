int main(void)
{
    float z = 0;
    float n = z / z;
    return (unsigned char)n; // UNDEFINED float-to-integer
}
