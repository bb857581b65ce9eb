import { flag, text, textList } from './field.js';

export class HealthBody {
  @text('Always `ok` while the process answers.', { enum: ['ok'] })
  status!: 'ok';

  @text('Version of the program.', { example: '0.1.0' })
  version!: string;
}

export class ReadyBody {
  @flag('True when at least one chain can be served.')
  ready!: boolean;

  @textList('Why not, as sentences; empty when ready.')
  reasons!: string[];

  @textList('Chains that cannot be served while another can, as sentences.')
  warnings!: string[];
}
