/** Wall-clock time, in Unix ms. A spec replaces it; what follows from blocks uses their own time instead. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
