import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  toEventSelector,
} from 'viem';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { LocalWallet } from '#libs/devkit/devnet/evm/test/local-wallet.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { RawLog } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import type { HoldersAnswer, HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { PositionsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { EvmPipeline } from './evm-pipeline.js';

/** What the source notes in addition to events, seen end to end on a local chain: what the chain says of balances, and kept logs. */
const seed = testSeed();
const LIMIT_MS = 300_000;
const ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const chaind = chainSpec('chaind')!;
const OWNERSHIP = toEventSelector('OwnershipTransferred(address,address)');

let dir: string;
let chain: LocalChain;
let pipeline: EvmPipeline;
let holder: LocalWallet;
let other: LocalWallet;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-contradicted-'));
  chain = await startLocalChain({
    ...{ chain: 'chaind', dataDir: join(dir, 'chain'), seed, historyBlocks: 60, autoMine: false, launches: false },
    // Two minutes a block: a token that was asked about often is asked about once an hour.
    ...{ historyEnd: Math.floor(Date.now() / 1_000) - 2 * 86_400, pace: 2, blockTimeMs: 120_000 },
  });
  pipeline = await EvmPipeline.open(chaind, { rpcUrl: chain.rpcUrl, wsUrl: chain.wsUrl, rpc: chain.rpc });
  [holder, other] = [new LocalWallet(chain, 'holder'), new LocalWallet(chain, 'other')];
}, LIMIT_MS);

afterAll(async () => {
  await pipeline?.close();
  await chain?.stop();
  await removeFolder(dir);
}, LIMIT_MS);

const balanceOf = async (token: string, wallet: string): Promise<bigint> => {
  const data = encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [wallet as Hex] });
  return BigInt(await chain.rpc.call<Hex>('eth_call', [{ to: token, data }, 'latest']));
};

/** Where the contract keeps what a wallet holds. */
async function slotOf(token: string, wallet: string): Promise<Hex> {
  const held = await balanceOf(token, wallet);
  for (let n = 0n; n < 20n; n++) {
    const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet as Hex, n]));
    if (BigInt(await chain.rpc.call<Hex>('eth_getStorageAt', [token, slot, 'latest'])) === held) return slot;
  }
  throw new Error('no slot holds the balance');
}

const shown = async (token: string) => {
  const { client } = pipeline;
  const [position] = (await client.get<PositionsAnswer>(`/tokens/chaind/${token}/positions?wallets=${holder.address}`))
    .data;
  const { data } = await client.get<HoldingsAnswer>(`/wallets/chaind/${holder.address}/holdings`);
  const { complete } = await client.get<HoldersAnswer>(`/tokens/chaind/${token}/holders`);
  const { balance, balanceUnknown } = position!;
  return { balance, balanceUnknown, listed: data.some((row) => row.token === token), complete };
};

it(
  `a token that grows without transfers has no balances from then on (seed ${seed})`,
  async () => {
    const { address, decimals } = chain.tokens.find(({ symbol }) => symbol === 'TERN')!;
    const token = address.toLowerCase();
    const [whole, amount] = [10n ** BigInt(decimals), 1_000n * 10n ** BigInt(decimals)];
    await chain.fund(holder.address, { eth: 10n ** 19n, tokens: [{ token, amount }] });
    const send = encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [other.address, whole] });
    await pipeline.caughtUp();
    expect(await shown(token)).toEqual({ balance: '1000', balanceUnknown: null, listed: true, complete: true });
    // What is asked of a block is asked of the last one, when the API is at it.
    const step = async (): Promise<void> => {
      for (let n = 0; n < 5; n++) await holder.run(token, send);
      await pipeline.caughtUp();
    };
    // Sums and contract agree for as long as only transfers move it, whatever is asked meanwhile.
    for (let n = 0; n < 4; n++) await step();
    expect(await shown(token)).toEqual({ balance: '980', balanceUnknown: null, listed: true, complete: true });
    const slot = await slotOf(token, holder.address);
    const grown = (await balanceOf(token, holder.address)) * 2n;
    await chain.rpc.call('anvil_setStorageAt', [token, slot, numberToHex(grown, { size: 32 })]);
    let now = await shown(token);
    for (let n = 0; n < 100 && now.balanceUnknown === null; n++) {
      await step();
      now = await shown(token);
    }
    expect(now).toEqual({ balance: null, balanceUnknown: 'contradicted', listed: false, complete: false });
    const coin = await shown(`0x${chaind.wrappedNative.token}`);
    expect(coin.balanceUnknown).toBeNull();
  },
  LIMIT_MS,
);

it(
  'keeps logs of events for later versions as they were sent',
  async () => {
    // A contract whose constructor says OwnershipTransferred and returns no code.
    const owner = pad(holder.address, { size: 32 });
    const initCode = concat(['0x7f', owner, '0x5f', '0x7f', OWNERSHIP, '0x5f5f', '0xa3', '0x00']);
    const [from] = [chain.deployer];
    const hash = await chain.rpc.call<Hex>('eth_sendTransaction', [{ from, data: initCode, gas: '0x100000' }]);
    await chain.mine({ traders: false });
    const receipt = await chain.rpc.call<{ status: Hex; contractAddress: Hex; logs: { logIndex: Hex }[] }>(
      'eth_getTransactionReceipt',
      [hash],
    );
    expect(receipt.status).toBe('0x1');
    await pipeline.caughtUp();
    const kept: { log: RawLog; tx: string; sender: string }[] = [];
    const options = { fromSeq: 0, signal: new AbortController().signal, untilEnd: true };
    for await (const batch of pipeline.log.readGroups(blocksTopic('chaind', 1), options)) {
      for (const { value } of batch) {
        const group = decodeBlocksGroup(value);
        if (group.kind !== 'block') continue;
        for (const log of group.logs ?? []) {
          const { id: tx, sender } = group.txs[log.tx]!;
          kept.push({ log, tx, sender });
        }
      }
    }
    const own = kept.filter(({ log }) => `0x${log.address}` === receipt.contractAddress.toLowerCase());
    expect(own).toEqual([
      {
        ...{ tx: hash.slice(2), sender: chain.deployer.slice(2).toLowerCase() },
        log: {
          tx: expect.any(Number),
          ordinal: Number(receipt.logs[0]!.logIndex),
          address: receipt.contractAddress.slice(2).toLowerCase(),
          topics: [OWNERSHIP.slice(2), '0'.repeat(64), owner.slice(2)],
          data: '',
        },
      },
    ]);
  },
  LIMIT_MS,
);
