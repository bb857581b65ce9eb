/** What the examples of documents name, said once: a chain and a venue of it. */
export const EXAMPLE_CHAIN = 'eth';
export const EXAMPLE_VENUE = `${EXAMPLE_CHAIN}-uniswap-v3`;

/** Places of that chain. */
export const EXAMPLE_WALLET = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const EXAMPLE_POOL = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640';
