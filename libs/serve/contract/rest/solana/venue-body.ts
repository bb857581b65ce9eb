import { flag, integerOrNull, list, objectOrNull, text, textList, textOrNull } from '../field.js';
import { EvmDemo } from '../local-demo.js';

const solVenueStatuses = [...['live', 'off', 'no_row', 'other_kind', 'disabled', 'unknown', 'not_buildable']] as const;

export class SolVenue {
  @text('Id across chains: the slug and the name of the venue.', { example: 'chain-venue' })
  id!: string;

  @text('Label used in quotes.', { example: 'Tidepool AMM' })
  dex!: string;

  @text('The same, by the name that quotes give it.', { example: 'Tidepool AMM' })
  label!: string;

  @textList('Other spellings that `dexes` and `excludeDexes` accept; contains the id.')
  aliases!: string[];

  @text('Address of the venue’s program.', { example: 'TidepooLAmm11111111111111111111111111111111' })
  programId!: string;

  @textOrNull(
    'How the swap program calls it: pool or curve by the instructions of our own programs, else the name of the venue whose own instructions it calls; null: it cannot.',
    { example: 'pool' },
  )
  kind!: string | null;

  @flag('Whether routes over it can be built at all.')
  buildable!: boolean;

  @flag('Whether it is quoted and built now: it has a live row in the config of the swap program.')
  servable!: boolean;

  @text(
    'live · off: its row is switched off · no_row · other_kind: its row has another kind than the program calls it by · disabled: by the operator · unknown: the config is not known now · not_buildable.',
    { enum: [...solVenueStatuses], example: 'live' },
  )
  status!: 'live' | 'off' | 'no_row' | 'other_kind' | 'disabled' | 'unknown' | 'not_buildable';

  @integerOrNull('Slot at which the config was first read as it is; null while it is not known.', {
    example: 312000000,
  })
  updatedSlot!: number | null;
}

export class SolVenuesAnswer {
  @list(() => SolVenue, 'Every venue of Solana, always all of them, in a fixed order.')
  venues!: SolVenue[];

  @objectOrNull(() => EvmDemo, 'Only on a local chain; null on a real one.')
  demo!: EvmDemo | null;
}
