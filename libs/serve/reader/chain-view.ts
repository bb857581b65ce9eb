import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { MarketReads } from '#libs/pipeline/store/market/reads.js';
import { takenBack, type View } from '#libs/pipeline/store/market/view.js';
import type { BlockProof } from '#libs/protocol/blocks.js';
import type { Session } from './session.js';
import { type Head, headOf, type TailGroup } from './tail-buffer.js';
import { noAbouts, type TokenAbouts } from './token-about.js';
import { ChainUnavailableError, StaleViewError, UnknownBlockError } from './unavailable.js';

/** All that is needed to read the same state again later; a cursor carries it. */
export interface Pin {
  epoch: number;
  generation: number;
  seq: number;
  height: number;
  hash: Hex;
  time: number;
  proof: BlockProof;
  finalizedHeight: number;
  sealSeq: number;
  sealedTime: number;
}

/** What a pin says of the tables it was read from, and how far. */
export type ViewPlace = Pick<Pin, 'epoch' | 'generation' | 'seq'>;

export const sameTables = (a: Omit<ViewPlace, 'seq'>, b: Omit<ViewPlace, 'seq'>): boolean =>
  a.epoch === b.epoch && a.generation === b.generation;

/** Whether the one is a view of the same tables as the other, and an earlier one: a further page of a list. */
export const isEarlier = (a: ViewPlace, b: ViewPlace): boolean => sameTables(a, b) && a.seq < b.seq;

/** Names the state of one chain that a pin is of. */
export const pinKey = ({ epoch, generation, seq }: Pin): string => `${epoch}|${generation}|${seq}`;

/** Whether a view has all rows that an earlier one of the same tables had up to a seq. */
export const seesAllUpTo = ({ pin, tables }: ChainView, of: Omit<ViewPlace, 'seq'>, seq: number): boolean =>
  sameTables(pin, of) && tables.seq >= seq && !takenBack(tables, seq);

/**
 * One chain at one seq: rows of the tables up to `tables.seq` and the groups of the tail above it. Every read of one
 * answer uses one view, so that its parts belong together; the same view gives the same rows, however far the tables
 * are.
 */
export interface ChainView {
  readonly chain: ChainSpec;
  readonly pin: Pin;
  /** Last block included: the head, or the block asked for. */
  readonly head: Head;
  readonly tables: View;
  readonly groups: readonly TailGroup[];
  readonly reads: MarketReads;
  /** What is known of the tokens from outside of the chain, at whatever time. */
  readonly about: TokenAbouts;
}

/** Takes a view of a session in one turn. */
export function viewAt(chain: ChainSpec, session: Session, pin?: Pin, about: TokenAbouts = noAbouts): ChainView {
  const { tail, pointer, reads } = session;
  const { checkpoint } = tail;
  if (pin === undefined) {
    const state = tail.stateAt();
    if (state.head.hash === '') throw new ChainUnavailableError(chain.slug, 'no block is indexed yet');
    const own: Pin = {
      epoch: pointer.epoch,
      generation: pointer.generation,
      seq: state.seq,
      ...state.head,
      finalizedHeight: state.finalizedHeight,
      sealSeq: checkpoint.sealSeq,
      sealedTime: state.sealedTime,
    };
    return {
      chain,
      about,
      pin: own,
      head: state.head,
      tables: tablesView(own, state.tablesSeq, session),
      groups: state.groups,
      reads,
    };
  }
  if (pin.epoch !== pointer.epoch || pin.generation !== pointer.generation) {
    throw new StaleViewError('the tables it was read from are not served any more');
  }
  if (pin.seq < session.purgedSeq) throw new StaleViewError('retracted rows it still showed are purged');
  if (pin.seq > tail.position) throw new ChainUnavailableError(chain.slug, 'this reader has not come that far yet');
  const head = headOf(pin);
  if (pin.seq <= checkpoint.seq) {
    return { chain, about, pin, head, tables: tablesView(pin, pin.seq, session), groups: [], reads };
  }
  // The pin may come from a reader that had adopted a newer checkpoint: its seals hold rows that are in the tail here.
  const state = tail.stateAt(pin.seq);
  const seals = { sealSeq: checkpoint.sealSeq, sealedTime: state.sealedTime };
  return { chain, about, pin, head, tables: tablesView(seals, state.tablesSeq, session), groups: state.groups, reads };
}

function tablesView(seals: Pick<Pin, 'sealSeq' | 'sealedTime'>, seq: number, session: Session): View {
  const { sealSeq, sealedTime } = seals;
  return { seq, retracted: session.tail.checkpoint.retracted, sealSeq, sealedTime };
}

/** The same view as of the end of an earlier block. */
export async function asOfBlock(view: ChainView, height: number): Promise<ChainView> {
  if (height === view.head.height) return view;
  if (height > view.head.height) throw new UnknownBlockError(height, view.chain.family);
  const head = await blockAt(view, height);
  if (head === null) throw new UnknownBlockError(height, view.chain.family);
  return {
    ...view,
    head,
    // A bucket that ends at or before the block's time holds blocks up to it only.
    tables: { ...view.tables, asOfBlock: height, sealedTime: Math.min(view.tables.sealedTime, head.time) },
    groups: view.groups.filter((group) => group.facts.height <= height),
  };
}

async function blockAt(view: ChainView, height: number): Promise<Head | null> {
  for (const { facts } of view.groups) {
    if (facts.kind === 'block' && facts.height === height) return headOf(facts);
  }
  const stored = await view.reads.blockAt(view.tables, height);
  return stored && headOf(stored);
}

/** What `meta.finalized` says at this view; null while the chain has not said. */
export function finalizedOf(view: ChainView): number | null {
  return view.pin.finalizedHeight < 0 ? null : view.pin.finalizedHeight;
}
