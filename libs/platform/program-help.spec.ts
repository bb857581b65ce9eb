import { programAnswer } from './program-help.js';
import { variables } from './variables.js';

describe('arguments of a program', () => {
  it.each(['all-in-one', 'ingest', 'api', 'router'] as const)('%s lists every setting on --help', (app) => {
    for (const argument of ['--help', '-h']) {
      const answer = programAnswer(app, [argument]);
      expect(answer?.code).toBe(0);
      const lines = answer!.text.split('\n');
      for (const { name } of variables) expect(lines).toContain(`  ${name}`);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    }
  });

  it('refuses any other, with the next step', () => {
    const answer = programAnswer('api', ['--port=4200']);
    expect(answer).toEqual({ code: 2, text: expect.stringContaining('"--port=4200"') });
    expect(answer!.text).toContain('--help');
  });

  it('starts without one', () => {
    expect(programAnswer('all-in-one', [])).toBeNull();
  });
});
