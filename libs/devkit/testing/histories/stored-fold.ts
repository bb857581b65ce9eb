import { ChainFold, type FoldOptions } from '#libs/pipeline/fold/chain-fold.js';
import type { StateHome } from '#libs/pipeline/state/state-home.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { applySurvivors, inputHash, retractFrom } from './fold-driver.js';

/** A fold over a state that outlives it: it can be killed and started again, and goes back to commits as a stage does. */
export class StoredFold {
  fold = ChainFold.empty();
  rewinds = 0;
  refolds = 0;

  constructor(
    private readonly groups: readonly BlocksGroup[],
    private readonly home: StateHome,
    private readonly options: FoldOptions,
  ) {}

  /** Ends the fold as a kill does, and continues from what was committed; answers the first seq that is folded again. */
  async start(): Promise<number> {
    await this.fold.state.close();
    this.fold = ChainFold.over(await this.home.open({ cacheEntries: 20 }), this.options);
    return (this.fold.position?.seq ?? -1) + 1;
  }

  async apply(group: BlocksGroup): Promise<FactsGroup> {
    const { fold, groups } = this;
    if (group.kind !== 'retract' || fold.canRetract(group)) return fold.apply(group, inputHash(group));
    const point = fold.state.keptStates().find(({ position }) => position !== null && position.seq < group.fromSeq);
    if (point !== undefined) {
      this.rewinds++;
      await fold.rewind(point, group);
      applySurvivors(fold, groups, group);
      return fold.finishRefold(group, inputHash(group));
    }
    this.refolds++;
    const state = await this.home.openNext({ cacheEntries: 20 });
    const fresh = ChainFold.over(state, this.options);
    applySurvivors(fresh, groups, group);
    fresh.sealAll();
    await state.commit();
    const facts = retractFrom(fresh, fold, group, inputHash(group));
    await this.home.promote(fold.state, state);
    const promoted = await this.home.open({ cacheEntries: 20 });
    this.fold = ChainFold.over(promoted, { ...this.options, seq: group.seq });
    return facts;
  }
}
