/** Positions in a table with their sum; each can be withdrawn. */
import { formatUsd, parseUsd } from '@market/contract';
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Button, type Column, DataTable, Sum, shorten } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { type Position, signed } from './earn-words.ts';
import { WithdrawDialog } from './withdraw-dialog.tsx';

/** Slow, because the answer counts against the owner's limit of 120 an hour. */
const POLL_MS = 45_000;

export function usePositions() {
  return useAnswer('earn.positions', {}, { everyMs: POLL_MS });
}

export function PositionsTable({ positions }: { readonly positions: readonly Position[] }) {
  const [leaving, setLeaving] = useState<Position>();
  const columns: readonly Column<Position>[] = [
    { head: 'Venue', cell: (position) => <Venue position={position} />, fold: 'what' },
    { head: 'Whose', cell: whose, fold: 'time' },
    { head: 'Paid in, USDC', cell: ({ principal_usd }) => <Amount usd={principal_usd} bare />, number: true, fold: 'hide' },
    { head: 'Gain, USDC', cell: (position) => <Gain position={position} />, number: true, fold: 'state' },
    { head: 'Worth now, USDC', cell: (position) => <Worth position={position} />, number: true, fold: 'amount' },
    {
      head: 'Take out',
      cell: (position) => (
        <Button size="small" onClick={() => setLeaving(position)}>
          Withdraw <span className="visually-hidden">from {position.label}</span>
        </Button>
      ),
      fold: 'act',
    },
  ];
  return (
    <section aria-label="Positions">
      <DataTable caption="Your share of each pool" columns={columns} rows={positions} keyOf={keyOf} />
      <Total positions={positions} />
      {leaving === undefined ? null : <WithdrawDialog position={leaving} onClose={() => setLeaving(undefined)} />}
    </section>
  );
}

function whose({ owned_by, agent_id, wallet }: Position): string {
  if (owned_by === 'you') return 'yours';
  return agent_id === null && wallet !== null ? shorten(wallet) : owned_by;
}

function keyOf({ key, agent_id, wallet }: Position): string {
  return `${key} ${agent_id ?? wallet ?? ''}`;
}

function Venue({ position: { key, label, network, stale } }: { readonly position: Position }) {
  return (
    <>
      <a href={sitePaths.vault(key)}>{label}</a> <span className="meta">on {networkWords[network]}</span>
      {stale ? <span className="stale"> last known value</span> : null}
    </>
  );
}

function Worth({ position: { value_usd } }: { readonly position: Position }) {
  return value_usd === null ? <>not known now</> : <Amount usd={value_usd} bare />;
}

/** The sign shows a loss, not only the colour. */
function Gain({ position: { gain_usd } }: { readonly position: Position }) {
  if (gain_usd === null) return <>not known now</>;
  return (
    <>
      <span className="earn-phone">Gain </span>
      <span className="amount mono">{signed(formatGain(gain_usd))}</span>
    </>
  );
}

const formatGain = (usd: string): string => formatUsd(microsOf(usd));

function microsOf(usd: string): bigint {
  const micros = parseUsd(usd.replace(/^-/, '')) ?? 0n;
  return usd.startsWith('-') ? -micros : micros;
}

function Total({ positions }: { readonly positions: readonly Position[] }) {
  const known = positions.flatMap(({ value_usd, gain_usd }) => (value_usd === null || gain_usd === null ? [] : [{ value_usd, gain_usd }]));
  if (known.length === 0) return null;
  const sum = (of: (position: (typeof known)[number]) => string): string =>
    formatUsd(known.reduce((total, position) => total + microsOf(of(position)), 0n));
  return (
    <div className="earn-sum">
      <Sum
        lines={[
          { label: 'Gained or lost so far', value: `${signed(sum(({ gain_usd }) => gain_usd))} USDC` },
          {
            label: known.length < positions.length ? 'Worth now, as far as known' : 'Worth now',
            value: <Amount usd={sum(({ value_usd }) => value_usd)} />,
            kind: 'total',
          },
        ]}
      />
    </div>
  );
}
