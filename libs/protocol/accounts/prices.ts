/** What a request costs is a matter of the class that its route declares; `minute` is each started minute of a stream. */
const costClasses = ['free', 'status', 'read', 'list', 'quote', 'build', 'stream'] as const;
export type CostClass = (typeof costClasses)[number];

/** Credits, whole numbers. */
export type Prices = Readonly<Record<CostClass | 'minute', number>>;

/** Of one call of a request that is let in for `entry`: a call costs no less than that. */
export const callPrice = (prices: Prices, entry: CostClass, call: CostClass): number =>
  Math.max(prices[entry], prices[call]);

export const standardPrices: Prices = {
  ...{ free: 0, status: 1, read: 1, list: 2, quote: 1, build: 5 },
  ...{ stream: 1, minute: 1 },
};
