import { whole } from '../format/numbers.js';
import type { UsageDay } from './usage-days.js';

const COUNTS = ['requests', 'credits', 'refused'] as const;
type Count = (typeof COUNTS)[number];

const TITLES: Readonly<Record<Count, string>> = { requests: 'Requests', credits: 'Credits', refused: 'Refused' };

/** A row of bars for each count, a bar a day; the table below the chart says the same to those who do not see it. */
export function UsageChart({ days }: { days: readonly UsageDay[] }) {
  return (
    <div class="usage-charts">
      {COUNTS.map((count) => (
        <Bars key={count} count={count} days={days} />
      ))}
    </div>
  );
}

function Bars({ count, days }: { count: Count; days: readonly UsageDay[] }) {
  const most = Math.max(...days.map((day) => day[count]));
  const sum = days.reduce((all, day) => all + day[count], 0);
  const label = `${TITLES[count]} a day: ${whole(sum)} in ${days.length} days, at most ${whole(most)} on one`;
  return (
    <figure class={`usage-bars usage-${count}`} data-count={count}>
      <figcaption>
        {TITLES[count]} <strong>{whole(sum)}</strong>
        <small>at most {whole(most)} a day</small>
      </figcaption>
      <div class="bars" role="img" aria-label={label}>
        {days.map((day) => (
          <span
            key={day.day}
            title={`${day.day}: ${whole(day[count])}`}
            style={{ height: `${most === 0 ? 0 : Math.max(day[count] === 0 ? 0 : 2, (day[count] / most) * 100)}%` }}
          />
        ))}
      </div>
      <div class="bar-days" aria-hidden="true">
        <span>{days[0]!.day}</span>
        <span>{days.at(-1)!.day}</span>
      </div>
    </figure>
  );
}
