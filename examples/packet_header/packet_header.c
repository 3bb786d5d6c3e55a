/* Reads the header of a packet from bytes, two ways: through bit-fields, and by shifting and masking. They must
   agree. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct header {
    uint16_t version : 3;
    uint16_t is_urgent : 1;
    uint16_t kind : 4;
    int16_t hop_delta : 8; /* signed: may count down */
    uint16_t length;
    union {
        uint32_t sequence;
        uint8_t sequence_bytes[4];
    };
};

_Static_assert(sizeof(struct header) == 8, "the header is 8 bytes on the wire");

static int parse(const uint8_t *packet, size_t size, struct header *header)
{
    if (size < sizeof *header)
        return -1;
    memcpy(header, packet, sizeof *header);
    if (header->version != 2)
        return -2;
    return header->length > size - sizeof *header ? -3 : 0;
}

static unsigned checksum(const uint8_t *bytes, size_t size)
{
    unsigned sum = 0;
    while (size-- > 0)
        sum = (sum << 5 | sum >> 27) ^ *bytes++;
    return sum;
}

int main(void)
{
    static const uint8_t packets[][12] = {
        { 0x5a, 0xfe, 0x04, 0x00, 0x78, 0x56, 0x34, 0x12, 'd', 'a', 't', 'a' },
        { 0x03, 0x01, 0x00, 0x00, 1, 0, 0, 0 },
        { 0x02, 0x10, 0xff, 0x00, 2 },
    };

    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        const uint8_t *packet = packets[i];
        struct header header;
        int problem = parse(packet, sizeof packets[i], &header);
        if (problem) {
            printf("packet %zu: rejected (%d)\n", i, problem);
            continue;
        }
        assert(header.version == (packet[0] & 7));
        assert(header.is_urgent == (packet[0] >> 3 & 1));
        assert(header.kind == packet[0] >> 4);
        assert(header.hop_delta == (int8_t)packet[1]);
        assert(header.sequence_bytes[3] == packet[7]);
        printf("packet %zu: kind %d%s, hops %+d, %u bytes, sequence %08x, checksum %08x\n", i, header.kind,
               header.is_urgent ? " urgent" : "", header.hop_delta, (unsigned)header.length, (unsigned)header.sequence,
               checksum(packet, sizeof packets[i]));
    }
    return 0;
}
