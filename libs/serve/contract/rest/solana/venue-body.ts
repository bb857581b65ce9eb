import { payload } from '../../schema/property.js';
import { flag, integerOrNull, list, objectOrNull, text, textList, textOrNull } from '../field.js';
import { EvmDemo } from '../local-demo.js';

const solVenueStatuses = [...['live', 'off', 'no_row', 'other_kind', 'disabled', 'unknown', 'not_buildable']] as const;

export class SolVenue extends payload({
  id: text('Id across chains: the slug and the name of the venue.', { example: 'chain-venue' }),
  dex: text('Label used in quotes.', { example: 'Tidepool AMM' }),
  label: text('The same, by the name that quotes give it.', { example: 'Tidepool AMM' }),
  aliases: textList('Other spellings that `dexes` and `excludeDexes` accept; contains the id.'),
  programId: text('Address of the venue’s program.', { example: 'TidepooLAmm11111111111111111111111111111111' }),
  kind: textOrNull(
    'How the swap program calls it: pool or curve by the instructions of our own programs, else the name of the venue whose own instructions it calls; null: it cannot.',
    { example: 'pool' },
  ),
  buildable: flag('Whether routes over it can be built at all.'),
  servable: flag('Whether it is quoted and built now: it has a live row in the config of the swap program.'),
  status: text<'live' | 'off' | 'no_row' | 'other_kind' | 'disabled' | 'unknown' | 'not_buildable'>(
    'live · off: its row is switched off · no_row · other_kind: its row has another kind than the program calls it by · disabled: by the operator · unknown: the config is not known now · not_buildable.',
    { enum: [...solVenueStatuses], example: 'live' },
  ),
  updatedSlot: integerOrNull('Slot at which the config was first read as it is; null while it is not known.', {
    example: 312000000,
  }),
}) {}

export class SolVenuesAnswer extends payload({
  venues: list(() => SolVenue, 'Every venue of Solana, always all of them, in a fixed order.'),
  demo: objectOrNull(() => EvmDemo, 'Only on a local chain; null on a real one.'),
}) {}
