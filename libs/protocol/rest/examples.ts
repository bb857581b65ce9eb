/** What the examples of documents name, said once: a chain and a venue of it. */
export const EXAMPLE_CHAIN = 'eth';
export const EXAMPLE_VENUE = `${EXAMPLE_CHAIN}-uniswap-v3`;
