import { object, text } from './field.js';

export class ErrorDetail {
  @text('Permanent code.', { example: 'bad_request' })
  code!: string;

  @text('What is wrong and what to change.')
  message!: string;
}

/** Every error of the market-data API, except 405, which has no body. */
export class ErrorBody {
  @object(() => ErrorDetail, 'The error.')
  error!: ErrorDetail;
}
