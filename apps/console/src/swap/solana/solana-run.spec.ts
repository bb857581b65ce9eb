import {
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { until } from '#libs/devkit/testing/until.js';
import type { SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import { type Coin, NATIVE } from '../coins.js';
import { LocalNode } from '../demo/local-node.js';
import { SolanaNode } from './solana-node.js';
import { SolanaRun } from './solana-run.js';
import { addressOf, newKey, sign } from './solana-signer.js';

/** The demo wallet on a real local chain, whose slots come when the test says so. A transfer is the swap. */
const SYSTEM = '11111111111111111111111111111111' as Address;
const SOL = 1_000_000_000n;
const FEE = 5_777n;
const coin: Coin = { chain: 'sol', address: NATIVE, symbol: 'SOL', name: 'SOL', decimals: 9 };

/** Counts what it took. */
class CountedNode extends SolanaNode {
  sent = 0;

  override async send(signed: string): Promise<string> {
    const signature = await super.send(signed);
    this.sent++;
    return signature;
  }
}

/** Says how far a swap is only when it is let, from the moment on that it was seen to have landed. */
class HeldNode extends CountedNode {
  let!: () => void;
  isHeld = false;
  private readonly word = new Promise<void>((resolve) => {
    this.let = resolve;
  });

  override async landed(signature: string, wallet: string): ReturnType<SolanaNode['landed']> {
    const landed = await super.landed(signature, wallet);
    this.isHeld ||= landed !== null;
    return landed;
  }

  override async status(signature: string): ReturnType<SolanaNode['status']> {
    if (this.isHeld) await this.word;
    return super.status(signature);
  }
}

describe('a run of the demo wallet on Solana', () => {
  let chain: LocalSolana;
  let node: CountedNode;
  let wallet: { address: string; sign(unsigned: string): string };
  let runs: { run: SolanaRun; ended: Promise<void> }[] = [];

  beforeAll(async () => {
    chain = await startLocalSolana({ finalizedDepth: 6 });
  });

  beforeEach(() => {
    node = new CountedNode(new LocalNode(chain.rpcUrl));
    const key = newKey();
    wallet = { address: addressOf(key), sign: (unsigned) => sign(key, unsigned) };
    chain.airdrop(wallet.address, 10n * SOL);
    chain.slot();
    chain.slot();
  });

  afterEach(async () => {
    for (const { run } of runs) run.stop();
    await Promise.all(runs.map(({ ended }) => ended));
    runs = [];
  });
  afterAll(() => chain?.stop());

  /** As the router answers it: unsigned, with its last block height. */
  async function transfer(lamports: bigint, heights = 100): Promise<SolSwapAnswer> {
    const data = new Uint8Array(12);
    data[0] = 2;
    new DataView(data.buffer).setBigUint64(4, lamports, true);
    const to = addressOf(newKey()) as Address;
    const instruction: Instruction = {
      ...{ programAddress: SYSTEM, data },
      accounts: [
        { address: wallet.address as Address, role: 3 },
        { address: to, role: 1 },
      ],
    };
    const config = { computeUnitLimit: 50_000, loadedAccountsDataSizeLimit: 1 << 20, priorityFeeLamports: 777n };
    const height = await node.height();
    const lifetime = { blockhash: chain.blockhash() as Blockhash, lastValidBlockHeight: BigInt(height + heights) };
    const message = pipe(
      createTransactionMessage({ version: 1 as 0 }),
      (m) => setTransactionMessageFeePayer(wallet.address as Address, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
      (m) => setTransactionMessageConfig(config, m as never) as typeof m,
      (m) => appendTransactionMessageInstruction(instruction, m),
    );
    return {
      swapTransaction: getBase64EncodedWireTransaction(compileTransaction(message)),
      lastValidBlockHeight: height + heights,
      quoteResponse: { outAmount: '1' },
    } as unknown as SolSwapAnswer;
  }

  function start(answer: SolSwapAnswer): SolanaRun {
    const run = new SolanaRun({ node, wallet, answer, input: coin, output: coin, pollMs: 5 });
    runs.push({ run, ended: run.run() });
    return run;
  }
  const waiting = (count: number) => until('it waits for a slot', () => node.sent === count);
  const ended = async (run: SolanaRun) => {
    await until('it ends', () => run.state.value.name !== 'running');
    return run.state.value;
  };

  it('lands, says what arrived without the fee, and ends when its slot is final', async () => {
    const run = start(await transfer(2n * SOL));
    await waiting(1);
    const { slot } = chain.slot();
    chain.slot();
    const { name, outcome } = await ended(run);
    expect(name).toBe('done');
    expect(outcome).toMatchObject({ block: slot, quoted: 1n, gasPaid: FEE, received: -2n * SOL, replaced: false });
    expect([outcome!.before.input, outcome!.after.input]).toEqual([10n * SOL, 8n * SOL - FEE]);
    for (let more = 0; more < 8; more++) chain.slot();
    await runs[0]!.ended;
    expect(run.state.value.outcome!.replaced).toBe(false);
  });

  it('says so when it fails on the chain', async () => {
    const [first, second] = [await transfer(6n * SOL), await transfer(7n * SOL)];
    const lands = start(first);
    await waiting(1);
    const fails = start(second);
    await waiting(2);
    chain.slot();
    chain.slot();
    expect((await ended(lands)).name).toBe('done');
    expect(await ended(fails)).toMatchObject({ name: 'failed', trouble: expect.stringContaining('The swap failed') });
  });

  it('says so when the node refuses, and when its blockhash is too old', async () => {
    expect(await ended(start(await transfer(11n * SOL)))).toMatchObject({
      name: 'failed',
      trouble: expect.stringMatching(/refuses: /),
    });
    const late = start(await transfer(SOL, -1));
    expect(await ended(late)).toMatchObject({ name: 'failed', trouble: expect.stringContaining('has not landed') });
  });

  it('notices that it came into another slot which was final before it looked again', async () => {
    const held = new HeldNode(new LocalNode(chain.rpcUrl));
    node = held;
    const run = start(await transfer(SOL));
    await waiting(1);
    chain.slot();
    chain.slot();
    const { outcome } = await ended(run);
    chain.fork(2, { drop: 0 });
    for (let more = 0; more < 8; more++) chain.slot();
    held.let();
    await runs[0]!.ended;
    expect(run.state.value.outcome).toEqual({ ...outcome, replaced: true });
  });

  it('notices that its slot is replaced', async () => {
    const run = start(await transfer(SOL));
    await waiting(1);
    chain.slot();
    chain.slot();
    expect((await ended(run)).outcome).toMatchObject({ replaced: false });
    chain.fork(2, { drop: 1 });
    await until('it says so', () => run.state.value.outcome?.replaced === true);
    await runs[0]!.ended;
  });
});
