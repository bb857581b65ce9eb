// @ts-nocheck: a project of its own, whose packages are installed apart from ours.
import { ponder } from 'ponder:registry';
import { swap, sync, transfer } from 'ponder:schema';

ponder.on('Pair:Swap', async ({ event, context }) => {
  const { amount0In, amount1In, amount0Out, amount1Out } = event.args;
  await context.db.insert(swap).values({
    id: event.id,
    block: event.block.number,
    address: event.log.address,
    tx: event.transaction.hash,
    amount0: amount0In - amount0Out,
    amount1: amount1In - amount1Out,
  });
});

ponder.on('Pair:Sync', async ({ event, context }) => {
  await context.db.insert(sync).values({
    id: event.id,
    block: event.block.number,
    address: event.log.address,
    reserve0: event.args.reserve0,
    reserve1: event.args.reserve1,
  });
});

for (const name of ['UniswapV3Pool:Swap', 'PancakeV3Pool:Swap'] as const) {
  ponder.on(name, async ({ event, context }) => {
    await context.db.insert(swap).values({
      id: event.id,
      block: event.block.number,
      address: event.log.address,
      tx: event.transaction.hash,
      amount0: event.args.amount0,
      amount1: event.args.amount1,
    });
  });
}

ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfer).values({
    id: event.id,
    block: event.block.number,
    address: event.log.address,
    sender: event.args.from,
    recipient: event.args.to,
    value: event.args.value,
  });
});
