/** Automatic deposits of idle USDC: off until the owner turns them on, with a daily limit. */
import { earnLimits, formatUsd, parseUsd } from '@market/contract';
import { useState } from 'react';
import { type Answer, useAnswer } from '../../../data/answers.ts';
import { Amount, Button, Dialog, Loaded, Panel, Sum, TextField, Time, useToast } from '../../../ui/index.ts';
import { OwnerAct } from '../../build/owner-act.tsx';
import type { EarnProduct } from '../../earn/earn-words.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { ChooseVault, firstVault } from './choose-vault.tsx';

type Sweep = Answer<'earn.sweep'>['data'];

export interface SweepPanelProps {
  readonly agent: OwnedAgent;
  readonly products: readonly EarnProduct[];
}

const CHANGED = ['earn.sweep'] as const;

export function SweepPanel({ agent, products }: SweepPanelProps) {
  const answer = useAnswer('earn.sweep', { id: agent.slug });
  return (
    <Panel title="Sweep" aside={answer.data === undefined ? undefined : answer.data.data.enabled ? 'on' : 'off'}>
      <Loaded answer={answer} what="The sweep">
        {({ data }) => <SweepState agent={agent} products={products} sweep={data} />}
      </Loaded>
    </Panel>
  );
}

function SweepState({ agent, products, sweep }: SweepPanelProps & { readonly sweep: Sweep }) {
  const [open, setOpen] = useState<'set' | 'end'>();
  const close = (): void => setOpen(undefined);
  const label = products.flatMap(({ markets }) => markets).find(({ key }) => key === sweep.key)?.label;
  return (
    <div className="stack">
      {sweep.enabled ? (
        <>
          <Sum
            small
            lines={[
              { label: 'Goes into', value: label ?? sweep.key },
              { label: 'Stays in the wallet', value: <Amount usd={sweep.above_usd} /> },
              { label: 'At most in 24 hours', value: <Amount usd={sweep.daily_limit_usd} /> },
              { label: 'Moved in the last 24 hours', value: <Amount usd={sweep.moved_today_usd} /> },
            ]}
          />
          {sweep.last_problem === null ? null : <p className="note">The last one moved nothing: {sweep.last_problem}</p>}
          {sweep.updated_at === null ? null : (
            <p className="note">
              Set on <Time at={sweep.updated_at} style="sentence" />.
            </p>
          )}
        </>
      ) : (
        <p>Off. Turned on, everything above an amount goes from the agent’s wallet into a venue once an hour, within a daily limit.</p>
      )}
      <div className="actions">
        <Button onClick={() => setOpen('set')}>{sweep.enabled ? 'Change it' : 'Set a sweep'}</Button>
        {sweep.enabled ? <Button onClick={() => setOpen('end')}>Turn it off</Button> : null}
      </div>
      {open === 'set' ? <SweepDialog agent={agent} products={products} sweep={sweep} onClose={close} /> : null}
      {open === 'end' ? <EndDialog agent={agent} onClose={close} /> : null}
    </div>
  );
}

function EndDialog({ agent, onClose }: Pick<SweepPanelProps, 'agent'> & { readonly onClose: () => void }) {
  const toast = useToast();
  return (
    <Dialog open onClose={onClose} title="Turn the sweep off">
      <div className="stack">
        <p>What is in the venue stays there until it is taken out.</p>
        <OwnerAct
          name="earn.setSweep"
          args={{ id: agent.slug, enabled: false }}
          ownerWallet={agent.owner_wallet}
          label="Turn it off now"
          busy="Turning it off"
          invalidates={CHANGED}
          onDone={() => {
            toast('The sweep is off.');
            onClose();
          }}
        />
      </div>
    </Dialog>
  );
}

interface SweepDialogProps extends SweepPanelProps {
  readonly sweep: Sweep;
  readonly onClose: () => void;
}

function SweepDialog({ agent, products, sweep, onClose }: SweepDialogProps) {
  const toast = useToast();
  const [key, setKey] = useState(sweep.key ?? firstVault(products)?.key ?? '');
  const [above, setAbove] = useState(shown(sweep.above_usd));
  const [most, setMost] = useState(shown(sweep.daily_limit_usd));
  const problem = problemOf(above) ?? problemOf(most);
  return (
    <Dialog open onClose={onClose} title="Deposit idle USDC by itself">
      <div className="stack">
        <ChooseVault products={products} value={key} onChange={setKey} />
        <TextField
          label="Keep in the wallet, USDC"
          hint="Only what is above it moves."
          inputMode="decimal"
          mono
          value={above}
          onChange={setAbove}
        />
        <TextField label="At most in 24 hours, USDC" inputMode="decimal" mono value={most} onChange={setMost} />
        {problem === undefined ? (
          <OwnerAct
            name="earn.setSweep"
            args={{ id: agent.slug, enabled: true, key, above_usd: above.trim(), daily_limit_usd: most.trim() }}
            ownerWallet={agent.owner_wallet}
            label="Turn it on"
            busy="Turning it on"
            effect="The signature sets this rule and no other; signing costs nothing."
            invalidates={CHANGED}
            onDone={() => {
              toast('The sweep is on.');
              onClose();
            }}
          />
        ) : (
          <p className="note">{problem}</p>
        )}
      </div>
    </Dialog>
  );
}

/** An amount of zero means that the owner has set none. */
function shown(usd: string): string {
  const amount = parseUsd(usd) ?? 0n;
  return amount === 0n ? '' : formatUsd(amount);
}

function problemOf(text: string): string | undefined {
  const amount = parseUsd(text.trim());
  if (amount !== undefined && amount >= earnLimits.leastSweepMicros) return undefined;
  return `Write both amounts, ${earnLimits.leastSweepUsd} USDC or more.`;
}
