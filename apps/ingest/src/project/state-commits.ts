import { CHANGES_A_COMMIT, type KeyedState } from '#libs/pipeline/state/keyed-state.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';

export interface CommitOptions {
  /** A commit is due when this many blocks or events went by since the last one: a start folds no more than that again. */
  everyBlocks: number;
  everyEvents: number;
}

export const defaultCommits: CommitOptions = { everyBlocks: 2_000, everyEvents: 500_000 };

/**
 * When the sealed part of a state is committed. Commits run next to the fold, one at a time. Invariant: a commit begins only
 * when the log holds the facts of all that was folded.
 */
export class StateCommits {
  private blocks = 0;
  private events = 0;
  private underWay: Promise<void> | null = null;
  private failure: { error: unknown } | null = null;

  constructor(private readonly options: CommitOptions) {}

  note(group: BlocksGroup): void {
    if (group.kind !== 'block') return;
    this.blocks++;
    this.events += group.events.length;
  }

  /** To be called where the invariant holds. Waits only where a commit is slower than what comes. */
  async beginWhenDue(state: KeyedState): Promise<void> {
    if (this.underWay !== null && state.sealedKeys >= 2 * CHANGES_A_COMMIT) await this.underWay;
    this.check();
    if (this.underWay === null && state.sealedChanges > 0 && this.isDue(state)) this.begin(state);
  }

  /** Commits what is sealed now. */
  async commitNow(state: KeyedState): Promise<void> {
    await this.end();
    this.begin(state);
    await this.end();
  }

  /** Waits for the commit that is under way. */
  async end(): Promise<void> {
    await this.underWay;
    this.check();
  }

  /** Whether so much was folded since the last commit. */
  isDue(state: KeyedState): boolean {
    if (this.blocks >= this.options.everyBlocks || this.events >= this.options.everyEvents) return true;
    return state.sealedKeys >= CHANGES_A_COMMIT;
  }

  private begin(state: KeyedState): void {
    this.blocks = 0;
    this.events = 0;
    this.underWay = state
      .commit()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.underWay = null;
      });
  }

  private check(): void {
    if (this.failure !== null) throw this.failure.error;
  }
}
