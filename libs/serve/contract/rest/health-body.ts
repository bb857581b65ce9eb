import { payload } from '../schema/property.js';
import { flag, text, textList } from './field.js';

export class HealthBody extends payload({
  status: text<'ok'>('Always `ok` while the process answers.', { enum: ['ok'] }),
  version: text('Version of the program.', { example: '0.1.0' }),
}) {}

export class ReadyBody extends payload({
  ready: flag('True when at least one chain can be served.'),
  reasons: textList('Why not, as sentences; empty when ready.'),
  warnings: textList('Chains that cannot be served while another can, as sentences.'),
}) {}
