// @ts-nocheck: a project of its own, whose packages are installed apart from ours.
import { onchainTable } from 'ponder';

export const swap = onchainTable('swap', (t) => ({
  id: t.text().primaryKey(),
  block: t.bigint().notNull(),
  address: t.hex().notNull(),
  tx: t.hex().notNull(),
  amount0: t.bigint().notNull(),
  amount1: t.bigint().notNull(),
}));

export const sync = onchainTable('sync', (t) => ({
  id: t.text().primaryKey(),
  block: t.bigint().notNull(),
  address: t.hex().notNull(),
  reserve0: t.bigint().notNull(),
  reserve1: t.bigint().notNull(),
}));

export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(),
  block: t.bigint().notNull(),
  address: t.hex().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  value: t.bigint().notNull(),
}));
