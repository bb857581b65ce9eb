import { list, listOrNull, text } from '../rest/field.js';
import { Holding } from '../rest/holder-body.js';
import { TradeBody } from '../rest/trade-body.js';
import { ChangedTags, DataFrame } from './frames.js';

export class WalletSnapshotFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['snapshot'] })
  type!: 'snapshot';

  @list(() => TradeBody, 'The newest trades of the wallet, newest first: what the REST route answers. Replaces all.')
  data!: TradeBody[];

  @listOrNull(() => Holding, 'All that the wallet holds, the most valuable first; null without `balances: true`.')
  balances!: Holding[] | null;
}

export class WalletTradesFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['trades'] })
  type!: 'trades';

  @list(() => TradeBody, 'New trades of the wallet, oldest first.')
  data!: TradeBody[];

  @listOrNull(
    () => Holding,
    'What changed of its holdings with them: put each in the place of the one with its token. Null without `balances: true`.',
  )
  balances!: Holding[] | null;

  @list(() => ChangedTags, 'Its tags that changed with them: put them on every trade of the wallet with the token.')
  tags!: ChangedTags[];
}

export class WalletTagsFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['tags'] })
  type!: 'tags';

  @list(() => ChangedTags, 'Its tags that changed: put them on every trade of the wallet with the token.')
  data!: ChangedTags[];

  @listOrNull(() => Holding, 'What changed of its holdings meanwhile. Null without `balances: true`.')
  balances!: Holding[] | null;
}

export class BalancesFrame extends DataFrame {
  @text('Kind of the frame.', { enum: ['balances'] })
  type!: 'balances';

  @list(
    () => Holding,
    'Holdings that changed without a trade: put each in the place of the one with its token; amount 0: none is left, or it is not measured any more.',
  )
  data!: Holding[];
}
