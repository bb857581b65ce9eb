import {
  type Address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  mainnet,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { closeClient } from '#libs/devkit/devnet/solana/test/close-client.js';
import { createMint, createTokenAccount, mintTo, transferTokens } from '#libs/devkit/devnet/solana/test/token-calls.js';
import { TOKEN_PROGRAM_TEXT } from '#libs/devkit/devnet/solana/token-accounts.js';
import { failed, outcomes } from './client-reads.js';
import { GatewayHarness } from './gateway-harness.js';

/**
 * Public clients of Solana, unchanged, do their ordinary work over the gateway: they read, simulate, send and confirm. What they
 * read there equals what they read from the node itself. The gateway has no socket: a client asks for the status, or has a
 * node's socket besides.
 */
const SOL = BigInt(LAMPORTS_PER_SOL);
const RENT = 10_000_000;

let chain: LocalSolana;
let gateway: GatewayHarness;
let gatewayUrl: string;
const payer = Keypair.generate();

beforeAll(async () => {
  chain = await startLocalSolana({ confirmedDepth: 0, finalizedDepth: 4 });
  gateway = await GatewayHarness.start({ sol: [chain.rpcUrl] });
  gatewayUrl = `${gateway.url}/?api-key=${gateway.key}`;
  chain.airdrop(payer.publicKey.toBase58(), 100n * SOL);
  chain.slot();
  const [mint, account] = [Keypair.generate(), Keypair.generate()];
  const making = new Transaction({ feePayer: payer.publicKey, recentBlockhash: chain.blockhash() }).add(
    ...createMint(payer, mint, 6, RENT),
    ...createTokenAccount(payer, account, mint.publicKey, payer.publicKey, RENT),
    mintTo(mint.publicKey, account.publicKey, payer.publicKey, 7_000_000n),
  );
  making.sign(payer, mint, account);
  chain.send(making.serialize());
  chain.slot();
});
afterAll(async () => {
  expect(gateway.logged).toEqual([]);
  await gateway.close();
  await chain?.stop();
});

const wordsOf = ({ message }: Error): string => message;

it('web3.js does its work', async () => {
  const through = new Connection(gatewayUrl, { commitment: 'confirmed', wsEndpoint: chain.wsUrl });
  const direct = new Connection(chain.rpcUrl, 'confirmed');
  const send = async (instructions: TransactionInstruction[], signers = [payer]): Promise<string> => {
    const latest = await through.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: payer.publicKey, ...latest });
    transaction.add(...instructions).sign(...signers);
    const signature = await through.sendRawTransaction(transaction.serialize());
    const confirmed = through.confirmTransaction({ signature, ...latest });
    expect((await through.getSignatureStatus(signature)).value).toBeNull();
    chain.slot();
    expect((await confirmed).value).toEqual({ err: null });
    expect((await through.getSignatureStatus(signature)).value).toMatchObject({ confirmationStatus: 'confirmed' });
    return signature;
  };
  try {
    const [mint, from, to] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
    const owner = Keypair.generate().publicKey;
    const rent = await through.getMinimumBalanceForRentExemption(165);
    await send(createMint(payer, mint, 6, await through.getMinimumBalanceForRentExemption(82)), [payer, mint]);
    await send(createTokenAccount(payer, from, mint.publicKey, payer.publicKey, rent), [payer, from]);
    await send(createTokenAccount(payer, to, mint.publicKey, owner, rent), [payer, to]);
    await send([mintTo(mint.publicKey, from.publicKey, payer.publicKey, 2_500_000n)]);
    const moved = await send([transferTokens(from.publicKey, to.publicKey, payer.publicKey, 1_000_000n)]);
    const fromPubkey = payer.publicKey;
    const transfer = SystemProgram.transfer({ fromPubkey, toPubkey: owner, lamports: 5_000_000 });
    const paid = await send([transfer]);
    const message = new TransactionMessage({
      ...{ payerKey: fromPubkey, recentBlockhash: chain.blockhash(), instructions: [transfer] },
    }).compileToV0Message();
    const tooMuch = SystemProgram.transfer({ fromPubkey, toPubkey: owner, lamports: 1000 * LAMPORTS_PER_SOL });
    const refused = new Transaction({ feePayer: fromPubkey, recentBlockhash: chain.blockhash() }).add(tooMuch);
    refused.sign(payer);
    const { slot } = (await direct.getSignatureStatus(moved)).value!;
    const any = { maxSupportedTransactionVersion: 0 } as const;
    const reads = (client: Connection) => ({
      genesis: () => client.getGenesisHash(),
      version: () => client.getVersion(),
      epoch: () => client.getEpochInfo(),
      slot: () => client.getSlot(),
      finalized: () => client.getSlot('finalized'),
      height: () => client.getBlockHeight(),
      latest: () => client.getLatestBlockhashAndContext(),
      valid: () => client.isBlockhashValid(message.recentBlockhash),
      blocks: () => client.getBlocks(slot, slot + 1),
      block: () => client.getBlock(slot, any),
      parsedBlock: () => client.getParsedBlock(slot, any),
      time: () => client.getBlockTime(slot),
      balance: () => client.getBalance(owner),
      account: () => client.getAccountInfo(to.publicKey),
      parsedAccount: () => client.getParsedAccountInfo(mint.publicKey),
      accounts: () => client.getMultipleAccountsInfo([from.publicKey, owner, Keypair.generate().publicKey]),
      tokenBalance: () => client.getTokenAccountBalance(to.publicKey),
      tokenSupply: () => client.getTokenSupply(mint.publicKey),
      tokenAccounts: () => client.getTokenAccountsByOwner(owner, { mint: mint.publicKey }),
      parsedTokenAccounts: () =>
        client.getParsedTokenAccountsByOwner(fromPubkey, { programId: new PublicKey(TOKEN_PROGRAM_TEXT) }),
      programAccounts: () =>
        client.getProgramAccounts(new PublicKey(TOKEN_PROGRAM_TEXT), {
          filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner.toBase58() } }],
        }),
      transaction: () => client.getTransaction(moved, any),
      parsedTransactions: () => client.getParsedTransactions([moved, paid], any),
      statuses: () => client.getSignatureStatuses([moved, paid, '1'.repeat(64)]),
      signatures: () => client.getSignaturesForAddress(payer.publicKey, { limit: 4 }),
      fee: () => client.getFeeForMessage(message),
      fees: () => client.getRecentPrioritizationFees(),
      simulated: () => client.simulateTransaction(new VersionedTransaction(message)),
      refused: () => client.sendRawTransaction(refused.serialize()),
      unsigned: () => client.sendRawTransaction(new VersionedTransaction(message).serialize()),
    });
    const seen = await outcomes(reads(through), wordsOf);
    expect(seen).toEqual(await outcomes(reads(direct), wordsOf));
    expect(failed(seen)).toEqual(['refused', 'unsigned']);
    expect(seen).toMatchObject({
      ...{ balance: 5_000_000, tokenBalance: { value: { amount: '1000000' } }, simulated: { value: { err: null } } },
      ...{ tokenAccounts: { value: [{}] }, programAccounts: [{ pubkey: to.publicKey }], signatures: [{}, {}, {}, {}] },
      refused: { failed: expect.stringContaining('insufficient lamports') },
    });
  } finally {
    closeClient(through);
    closeClient(direct);
  }
});

it('kit does its work', async () => {
  const over = (url: string) => createSolanaRpc(mainnet(url));
  const [through, direct] = [over(gatewayUrl), over(chain.rpcUrl)];
  const signer = await createKeyPairSignerFromBytes(payer.secretKey);
  const to = await generateKeyPairSigner();
  const transferOf = (amount: bigint): Instruction => {
    const data = new Uint8Array(12);
    data[0] = 2;
    new DataView(data.buffer).setBigUint64(4, amount, true);
    const accounts = [
      { address: signer.address, role: 3, signer },
      { address: to.address, role: 1 },
    ];
    return { programAddress: SystemProgram.programId.toBase58() as Address, accounts, data };
  };
  const signed = async (version: 'legacy' | 0 | 1, amount: bigint) => {
    const { value: latest } = await through.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const bounds = { computeUnitLimit: 50_000, loadedAccountsDataSizeLimit: 1 << 20 };
    const message = pipe(
      createTransactionMessage({ version: version as 0 }),
      (m) => setTransactionMessageFeePayerSigner(signer, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(latest, m),
      (m) => (version === 1 ? (setTransactionMessageConfig(bounds, m as never) as typeof m) : m),
      (m) => appendTransactionMessageInstruction(transferOf(amount), m),
    );
    return signTransactionMessageWithSigners(message);
  };
  const encoding = { encoding: 'base64' } as const;
  const sent: ReturnType<typeof getSignatureFromTransaction>[] = [];
  for (const version of ['legacy', 0, 1] as const) {
    const transaction = await signed(version, 2_000_000n);
    const wire = getBase64EncodedWireTransaction(transaction);
    const simulated = await through.simulateTransaction(wire, { ...encoding, sigVerify: true }).send();
    expect({ version, err: simulated.value.err }).toEqual({ version, err: null });
    const signature = await through.sendTransaction(wire, encoding).send();
    expect(signature).toBe(getSignatureFromTransaction(transaction));
    chain.slot();
    const { value } = await through.getSignatureStatuses([signature]).send();
    expect(value).toMatchObject([{ err: null, confirmationStatus: 'confirmed' }]);
    sent.push(signature);
  }
  const { slot } = (await direct.getSignatureStatuses([sent[0]!]).send()).value[0]!;
  const wire = getBase64EncodedWireTransaction(await signed(0, 3_000_000n));
  const refused = getBase64EncodedWireTransaction(await signed(0, 1_000n * SOL));
  const confirmed = { commitment: 'confirmed' } as const;
  const any = { ...confirmed, maxSupportedTransactionVersion: 1 } as { commitment: 'confirmed' };
  const tokens = { programId: TOKEN_PROGRAM_TEXT as Address };
  const reads = (rpc: typeof through) => ({
    genesis: () => rpc.getGenesisHash().send(),
    health: () => rpc.getHealth().send(),
    epoch: () => rpc.getEpochInfo(confirmed).send(),
    slot: () => rpc.getSlot(confirmed).send(),
    height: () => rpc.getBlockHeight(confirmed).send(),
    count: () => rpc.getTransactionCount(confirmed).send(),
    latest: () => rpc.getLatestBlockhash(confirmed).send(),
    blocks: () => rpc.getBlocks(slot, slot + 2n, confirmed).send(),
    block: () => rpc.getBlock(slot, any).send(),
    time: () => rpc.getBlockTime(slot).send(),
    rent: () => rpc.getMinimumBalanceForRentExemption(165n).send(),
    balance: () => rpc.getBalance(to.address, confirmed).send(),
    finalBalance: () => rpc.getBalance(to.address, { commitment: 'finalized' }).send(),
    account: () => rpc.getAccountInfo(signer.address, { ...confirmed, ...encoding }).send(),
    accounts: () => rpc.getMultipleAccounts([signer.address, to.address], { ...confirmed, ...encoding }).send(),
    tokenAccounts: () =>
      rpc.getTokenAccountsByOwner(signer.address, tokens, { ...confirmed, encoding: 'jsonParsed' }).send(),
    programAccounts: () => rpc.getProgramAccounts(tokens.programId, { ...confirmed, ...encoding }).send(),
    transaction: () => rpc.getTransaction(sent[2]!, { ...any, ...encoding }).send(),
    statuses: () => rpc.getSignatureStatuses(sent).send(),
    signatures: () => rpc.getSignaturesForAddress(to.address, confirmed).send(),
    simulated: () => rpc.simulateTransaction(wire, { ...encoding, ...confirmed }).send(),
    refused: () => rpc.sendTransaction(refused, { ...encoding, preflightCommitment: 'confirmed' }).send(),
    nonsense: () => rpc.getBalance('nonsense' as Address).send(),
  });
  const seen = await outcomes(reads(through), wordsOf);
  expect(seen).toEqual(await outcomes(reads(direct), wordsOf));
  expect(failed(seen)).toEqual(['refused', 'nonsense']);
  const tokenAmount = { amount: '7000000', decimals: 6, uiAmount: 7, uiAmountString: '7' };
  expect(seen).toMatchObject({
    ...{ balance: { value: 6_000_000n }, finalBalance: { value: 0n }, signatures: [{}, {}, {}] },
  });
  const { value: held } = seen.tokenAccounts as { value: { account: { data: { parsed: { info: object } } } }[] };
  expect(held.map(({ account }) => account.data.parsed.info)).toContainEqual(expect.objectContaining({ tokenAmount }));
});
