/* arpa/inet.h and netinet/in.h, for machines whose least byte comes first. */
//! htonl, ntohl: the bytes of a number of 32 bits in the other order
unsigned htonl(unsigned number)
{
    return number >> 24 | (number >> 8 & 0xff00) | (number << 8 & 0xff0000) | number << 24;
}
unsigned ntohl(unsigned number) { return htonl(number); }
//! htons, ntohs: the bytes of a number of 16 bits in the other order
unsigned short htons(unsigned short number) { return (unsigned short)(number >> 8 | number << 8); }
unsigned short ntohs(unsigned short number) { return htons(number); }
