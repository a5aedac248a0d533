/** Withdraws a part or everything: the amount, the wallet, then the outcome. */
import { earnLimits, formatUsd, networkFacts } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, type Arguments, invalidate, useAction, useAnswer } from '../../data/answers.ts';
import { useOwnWallets } from '../../pay/own-wallets.ts';
import { Amount, Button, Dialog, ErrorState, RangeField, SelectField, Sum, shorten, TextField } from '../../ui/index.ts';
import { marketOfWallet } from '../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../wallets/sign-with-wallet.tsx';
import type { WalletSession } from '../../wallets/wallet-session.ts';
import { networkWords } from '../../words.ts';
import { AtOnce, NEEDS_SIGNATURE, requireOwner } from '../build/owner-act.tsx';
import type { Position } from './earn-words.ts';
import { MovementState } from './movement-state.tsx';
import { partWorth, readWanted, thousandthsOf, type Wanted, WHOLE } from './withdraw-draft.ts';

const CHANGED = ['earn.positions', 'earn.movements', 'earn.markets', 'moves.list'] as const;
const FOLLOW_MS = 2_000;
/** Hundredths of a percent in one percent. */
const BPS = 100;

export function WithdrawDialog({ position, onClose }: { readonly position: Position; readonly onClose: () => void }) {
  const [done, setDone] = useState<Answer<'earn.withdraw'>['data']>();
  return (
    <Dialog open onClose={onClose} title={`Withdraw from ${position.label}`}>
      {done === undefined ? (
        <WithdrawForm position={position} onDone={setDone} onClose={onClose} />
      ) : (
        <Done withdrawal={done} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface WithdrawFormProps {
  readonly position: Position;
  readonly onDone: (withdrawal: Answer<'earn.withdraw'>['data']) => void;
  readonly onClose: () => void;
}

function WithdrawForm({ position, onDone, onClose }: WithdrawFormProps) {
  const [amount, setAmount] = useState('');
  const [destination, setDestination] = useState('');
  const [slippage, setSlippage] = useState(String(earnLimits.defaultSlippageBps / BPS));
  const [problem, setProblem] = useState<string>();
  const withdraw = useAction('earn.withdraw', { invalidates: CHANGED, onDone: ({ data }) => onDone(data) });
  const bound = Math.round(Number(slippage.replace(',', '.')) * BPS);
  const isBound = bound >= earnLimits.leastSlippageBps && bound <= earnLimits.mostSlippageBps;
  /** Undefined if the form has a problem, which it shows. */
  const read = (wanted: Wanted | { readonly problem: string }): Arguments<'earn.withdraw'> | undefined => {
    setProblem('problem' in wanted ? wanted.problem : undefined);
    if ('problem' in wanted || !isBound) return undefined;
    return {
      ...wanted,
      key: position.key,
      slippage_bps: bound,
      ...(position.agent_id !== null && { agent_id: position.agent_id }),
      // A position of a linked wallet, made by another sign-in of the visitor.
      ...(position.wallet !== null && position.owned_by !== 'you' && { owner_wallet: position.wallet }),
      ...(destination !== '' && { destination_wallet: destination }),
    };
  };
  const send = (wanted: Wanted | { readonly problem: string }): void => {
    const args = read(wanted);
    if (args !== undefined) withdraw.mutate(args);
  };
  const signed = useSignedWithdrawal(onDone);
  const busy = withdraw.isPending ? 'Withdrawing' : undefined;
  if (withdraw.variables !== undefined && NEEDS_SIGNATURE.has(withdraw.error?.code ?? ''))
    return <SignedWithdrawal args={withdraw.variables} wallet={position.wallet} onDone={onDone} />;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send(readWanted(position, amount));
      }}
    >
      <HowMuch position={position} amount={amount} problem={problem} onAmount={setAmount} />
      <Destination position={position} value={destination} onChange={setDestination} />
      <Bound value={slippage} isBound={isBound} onChange={setSlippage} />
      <p className="note">
        A share that has left the pool cannot be put back. If the venue has too little USDC free, you wait in its queue. What waits keeps
        earning and losing, and you get what it brings then. If a withdrawal of this share waits already, this one joins it: both go to its
        wallet, and to the end of the queue.
      </p>
      {withdraw.error === null ? null : <ErrorState what="Nothing was taken out." error={withdraw.error} />}
      <div className="actions">
        <Button kind="ink" type="submit" busy={busy}>
          Withdraw this amount
        </Button>
        <Button busy={busy} onClick={() => send({ all: true })}>
          Withdraw everything
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </div>
      {position.owned_by === 'you' && position.wallet === null ? (
        <AtOnce
          label="withdraw this amount"
          effect="Your share leaves the pool at once."
          onSign={async (session) => {
            const args = read(readWanted(position, amount));
            if (args !== undefined) await signed(session, args);
          }}
        />
      ) : null}
    </form>
  );
}

interface SignedWithdrawalProps extends Pick<WithdrawFormProps, 'onDone'> {
  readonly args: Arguments<'earn.withdraw'>;
  readonly wallet: string | null;
}

function useSignedWithdrawal(onDone: WithdrawFormProps['onDone']) {
  const queries = useQueryClient();
  return async (session: WalletSession, args: Arguments<'earn.withdraw'>): Promise<void> => {
    const { data } = await marketOfWallet(session).earn.withdraw(args, { proof: 'custody' });
    await invalidate(queries, CHANGED);
    onDone(data);
  };
}

/** A wallet's deposit is withdrawn with that wallet's signature over this withdrawal. */
function SignedWithdrawal({ args, wallet, onDone }: SignedWithdrawalProps) {
  const signed = useSignedWithdrawal(onDone);
  return (
    <SignWithWallet
      primary
      label="Sign and withdraw"
      without="Open this page in the browser that has the wallet: the withdrawal needs its signature."
      onSign={async (session) => {
        requireOwner(session, wallet);
        await signed(session, args);
      }}
      note={
        wallet === null
          ? 'The wallet that owns this position signs this withdrawal and no other. Signing costs nothing.'
          : `The wallet ${shorten(wallet)} deposited this, so it signs this withdrawal and no other. Signing costs nothing.`
      }
    />
  );
}

interface BoundProps {
  readonly value: string;
  readonly isBound: boolean;
  readonly onChange: (value: string) => void;
}

function Bound({ value, isBound, onChange }: BoundProps) {
  return (
    <details className="chart-table">
      <summary>Advanced</summary>
      <TextField
        label="Bound on a worse price, in percent"
        hint="If the venue would pay less than expected by more than this, nothing is taken out and you wait."
        inputMode="decimal"
        mono
        value={value}
        error={isBound ? undefined : 'The bound is 0.01 to 10 percent.'}
        onChange={onChange}
      />
    </details>
  );
}

interface HowMuchProps {
  readonly position: Position;
  readonly amount: string;
  readonly problem: string | undefined;
  readonly onAmount: (amount: string) => void;
}

function HowMuch({ position, amount, problem, onAmount }: HowMuchProps) {
  const part = thousandthsOf(position, amount);
  return (
    <>
      <Sum
        small
        lines={[{ label: 'Worth now', value: position.value_usd === null ? 'not known now' : <Amount usd={position.value_usd} /> }]}
      />
      <TextField
        label="Amount in USDC"
        hint={`About this much, at the price of today. At least ${formatUsd(earnLimits.leastWithdrawalMicros)}, or everything.`}
        inputMode="decimal"
        mono
        value={amount}
        error={problem}
        onChange={onAmount}
      />
      {position.value_usd === null ? null : (
        <RangeField
          label="Part of your share"
          bare
          most={WHOLE}
          value={part}
          spoken={`${(part / 10).toFixed(1)} percent, ${partWorth(position, part)} USDC`}
          onChange={(thousandths) => onAmount(partWorth(position, thousandths) ?? '')}
        />
      )}
    </>
  );
}

function Destination({
  position,
  value,
  onChange,
}: {
  readonly position: Position;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const wallets = useDestinations(position);
  return (
    <SelectField
      label="To"
      hint={`A wallet on ${networkWords[position.network]} that is proven to be ${position.agent_id === null ? 'yours' : 'the agent’s or yours'}.`}
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: 'The wallet of the last deposit' },
        ...wallets.map((address) => ({ value: address, label: shorten(address) })),
      ]}
    />
  );
}

/** Possible destinations: for an agent its own wallet and payout address, otherwise the visitor's proven wallets. */
function useDestinations({ agent_id, network }: Position): readonly string[] {
  const { proven = [] } = useOwnWallets();
  const agents = useAnswer('agents.mine', {}, { enabled: agent_id !== null }).data?.data ?? [];
  const agent = agents.find(({ id }) => id === agent_id);
  const isEvm = networkFacts[network].kind === 'evm';
  const chain = isEvm ? 'base' : 'solana';
  const own = agent_id === null ? proven : [agent?.wallets[chain], agent?.payout_destinations[chain], agent?.owner_wallet];
  const fitting = own.filter((address): address is string => typeof address === 'string' && address.startsWith('0x') === isEvm);
  return [...new Set(fitting)];
}

function Done({ withdrawal, onClose }: { readonly withdrawal: Answer<'earn.withdraw'>['data']; readonly onClose: () => void }) {
  const { withdrawal_id: id } = withdrawal;
  const movement = useAnswer('earn.movement', { id: id ?? '' }, { everyMs: FOLLOW_MS, enabled: id !== null }).data?.data;
  return (
    <div className="stack">
      {movement === undefined ? <p role="status">{withdrawal.state_text}</p> : <MovementState movement={movement} />}
      <div>
        <Button kind="ink" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
