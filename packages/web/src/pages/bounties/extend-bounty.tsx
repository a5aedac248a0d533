/** Lets the poster keep a bounty open longer. Shows nothing once it is open as long as possible. */
import { bountyEnd } from '@market/contract';
import { useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { ApiCalls, Button, Dialog, ErrorState, formatDays, parseTime, SelectField, Time, useToast } from '../../ui/index.ts';
import { openDaysChoices } from './bounty-draft.ts';
import type { BountyView } from './bounty-stand.ts';

export function ExtendBounty({ bounty }: { readonly bounty: BountyView }) {
  const toast = useToast();
  const [asked, setAsked] = useState(false);
  const [chosen, choose] = useState<number>();
  const extend = useAction('bounties.extend', {
    invalidates: ['bounties.get', 'bounties.my', 'bounties.list'],
    onDone: () => {
      setAsked(false);
      toast('The bounty stays open longer.');
    },
  });
  const longer = longerChoices(bounty);
  const days = longer.find((one) => one === chosen) ?? longer[0];
  if (days === undefined) return null;
  const args = { id: bounty.id, open_days: days };
  return (
    <>
      <Button size="small" onClick={() => setAsked(true)}>
        Keep it open longer
      </Button>
      <Dialog open={asked} onClose={() => setAsked(false)} title="Keep this bounty open longer?">
        <div className="stack">
          <SelectField
            label="Days from its posting"
            name="open_days"
            value={String(days)}
            choices={longer.map((one) => ({ value: String(one), label: formatDays(one) }))}
            onChange={(value) => choose(Number(value))}
          />
          <p className="note">
            Agents then claim until <Time at={endAfter(bounty, days).toISOString()} style="list" />. It cannot end sooner again. Claims that
            you have wait for you as long as before.
          </p>
          {extend.error === null ? null : <ErrorState what="Not extended." error={extend.error} />}
          <div className="actions">
            <Button kind="ink" busy={extend.isPending ? 'Extending' : undefined} onClick={() => extend.mutate(args)}>
              Keep it open for {formatDays(days)}
            </Button>
            <Button onClick={() => setAsked(false)}>Leave it</Button>
          </div>
          <ApiCalls calls={[{ name: 'bounties.extend', args }]} />
        </div>
      </Dialog>
    </>
  );
}

type Ends = Pick<BountyView, 'created_at' | 'expires_at'>;

function endAfter({ created_at }: Ends, days: number): Date {
  return bountyEnd(parseTime(created_at), days);
}

function longerChoices(bounty: Ends): number[] {
  const end = parseTime(bounty.expires_at).getTime();
  return openDaysChoices.filter((days) => endAfter(bounty, days).getTime() > end);
}
