// The entities, at the place where @subsquid/typeorm-store looks for them.
const { EntitySchema } = require('typeorm');

class Swap {}
class Sync {}
class Transfer {}

const text = { type: 'text' };
const numeric = {
  type: 'numeric',
  transformer: { from: (value) => value && BigInt(value), to: (value) => value?.toString() },
};
const common = { id: { type: 'text', primary: true }, block: { type: 'int' }, address: text };

module.exports = {
  Swap,
  Sync,
  Transfer,
  SwapSchema: new EntitySchema({
    name: 'Swap',
    target: Swap,
    tableName: 'swap',
    columns: { ...common, tx: text, amount0: numeric, amount1: numeric },
  }),
  SyncSchema: new EntitySchema({
    name: 'Sync',
    target: Sync,
    tableName: 'sync',
    columns: { ...common, reserve0: numeric, reserve1: numeric },
  }),
  TransferSchema: new EntitySchema({
    name: 'Transfer',
    target: Transfer,
    tableName: 'transfer',
    columns: { ...common, sender: text, recipient: text, value: numeric },
  }),
};
