import kafkajs from 'kafkajs';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { murmur2, partitionOf } from './partition.js';

describe('partition of a key', () => {
  test('known hashes of the Java client', () => {
    // org.apache.kafka.common.utils.UtilsTest.testMurmur2
    expect(murmur2(Buffer.from('21'))).toBe(-973932308);
    expect(murmur2(Buffer.from('foobar'))).toBe(-790332482);
    expect(murmur2(Buffer.from('a-little-bit-long-string'))).toBe(-985981536);
    expect(murmur2(Buffer.from('a-little-bit-longer-string'))).toBe(-1486304829);
    expect(murmur2(Buffer.from('lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8'))).toBe(-58897971);
    expect(murmur2(Buffer.from('abc'))).toBe(479470107);
  });

  test('agrees with the default partitioner of kafkajs', async () => {
    await withSeed('partitions', async (random) => {
      const partitioner = kafkajs.Partitioners.DefaultPartitioner();
      for (let i = 0; i < scaled(5_000); i++) {
        const key = random.bytes(1 + random.below(40));
        const partitions = 1 + random.below(64);
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionId,
          partitionErrorCode: 0,
          leader: 1,
          replicas: [1],
          isr: [1],
        }));
        const expected = partitioner({ topic: 't', partitionMetadata, message: { key, value: null } });
        expect(partitionOf(key, partitions)).toBe(expected);
      }
    });
  });
});
