// Subsquid over plain JSON-RPC, no gateway: indexes the swaps, syncs and transfers of the manifest's contracts into
// PostgreSQL and exits when the last block is committed. Environment: RPC_URL, DATABASE_URL, END_BLOCK, MANIFEST.
const fs = require('node:fs');
const { EvmBatchProcessor } = require('@subsquid/evm-processor');
const { TypeormDatabase } = require('@subsquid/typeorm-store');
const { DataSource } = require('typeorm');
const { Swap, Sync, Transfer, ...schemas } = require('./lib/model.js');

const manifest = JSON.parse(fs.readFileSync(process.env.MANIFEST, 'utf8'));
const topics = {
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  pairSwap: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  uniswapV3Swap: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  pancakeV3Swap: '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83',
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
};

const of = (Entity, fields) => Object.assign(new Entity(), fields);
const word = (data, index) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
const signedWord = (data, index) => BigInt.asIntN(256, word(data, index));
const address = (topic) => `0x${topic.slice(26)}`;

function decode(blocks) {
  const swaps = [];
  const syncs = [];
  const transfers = [];
  for (const block of blocks) {
    for (const log of block.logs) {
      const row = { id: log.id, block: block.header.height, address: log.address };
      const { data } = log;
      switch (log.topics[0]) {
        case topics.transfer:
          transfers.push(
            of(Transfer, {
              ...row,
              sender: address(log.topics[1]),
              recipient: address(log.topics[2]),
              value: word(data, 0),
            }),
          );
          break;
        case topics.sync:
          syncs.push(of(Sync, { ...row, reserve0: word(data, 0), reserve1: word(data, 1) }));
          break;
        case topics.pairSwap:
          swaps.push(
            of(Swap, {
              ...row,
              tx: log.transactionHash,
              amount0: word(data, 0) - word(data, 2),
              amount1: word(data, 1) - word(data, 3),
            }),
          );
          break;
        default:
          swaps.push(
            of(Swap, { ...row, tx: log.transactionHash, amount0: signedWord(data, 0), amount1: signedWord(data, 1) }),
          );
      }
    }
  }
  return { swaps, syncs, transfers };
}

async function main() {
  const setup = new DataSource({
    type: 'postgres',
    url: process.env.DATABASE_URL,
    entities: Object.values(schemas),
    synchronize: true,
  });
  await setup.initialize();
  await setup.destroy();
  new EvmBatchProcessor()
    .setRpcEndpoint({ url: process.env.RPC_URL, capacity: 10, rateLimit: 10_000, maxBatchCallSize: 100 })
    .setFinalityConfirmation(0)
    .setBlockRange({ from: 0, to: Number(process.env.END_BLOCK) })
    .setFields({ log: { topics: true, data: true, transactionHash: true } })
    .addLog({ address: manifest.pairs, topic0: [topics.sync, topics.pairSwap] })
    .addLog({ address: manifest.concentratedPools, topic0: [topics.uniswapV3Swap, topics.pancakeV3Swap] })
    .addLog({ address: manifest.tokens, topic0: [topics.transfer] })
    .run(new TypeormDatabase({ supportHotBlocks: false }), async (context) => {
      const { swaps, syncs, transfers } = decode(context.blocks);
      await context.store.insert(swaps);
      await context.store.insert(syncs);
      await context.store.insert(transfers);
    });
}

void main();
