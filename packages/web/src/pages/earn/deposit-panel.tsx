/** A deposit: the amount, then the pay panel, then where the money is. Continues after a reload. */
import { useEffect, useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { EarnPayPanel } from '../../pay/earn-pay-panel.tsx';
import { isUnderWay } from '../../pay/pay-machine.ts';
import { readRecord } from '../../pay/payment-record.ts';
import { depositSubject, useEarnPay } from '../../pay/use-earn-pay.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import { Button, Empty, Loaded, Panel, Skeleton, TextField } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { isFirst, leastWords, readAmount } from './deposit-draft.ts';
import { isMoving, type Vault } from './earn-words.ts';
import { MovementState } from './movement-state.tsx';

/** Polling intervals until the money is in the venue, and afterwards. */
const FOLLOW_MS = 2_000;
const LOOK_AGAIN_MS = 60_000;

export function DepositPanel({ vault }: { readonly vault: Vault }) {
  const { state } = useSession();
  if (state === 'signed-in') return <OwnDeposit vault={vault} />;
  return (
    <Panel title="Deposit" aside={<Least vault={vault} />}>
      {state === 'unknown' ? (
        <Skeleton lines={3} label="Deposit: loading" />
      ) : (
        <div className="stack">
          <p>A deposit comes from a wallet that is yours here, and only you can take it out again.</p>
          <div>
            <Button kind="primary" disabledReason={disabledReasonOf(vault)} href={signInPath(sitePaths.vault(vault.key))}>
              Sign in to deposit
            </Button>
          </div>
        </div>
      )}
    </Panel>
  );
}

function OwnDeposit({ vault }: { readonly vault: Vault }) {
  const [amountUsd, setAmountUsd] = useState<string>();
  const [followed, setFollowed] = useState<string>();
  // The server, which renders the page first, has no browser storage.
  useEffect(() => setAmountUsd(readRecord(localStorage, depositSubject(vault.key))?.amountUsd), [vault.key]);
  if (amountUsd !== undefined)
    return (
      <PayStep
        vault={vault}
        amountUsd={amountUsd}
        onBack={() => setAmountUsd(undefined)}
        onDeposit={(id) => {
          setFollowed(id);
          setAmountUsd(undefined);
        }}
      />
    );
  return (
    <>
      {followed === undefined ? null : <Followed id={followed} vault={vault} />}
      <AmountForm vault={vault} again={followed !== undefined} onAmount={setAmountUsd} />
      {followed === undefined ? <LastOpen vault={vault} /> : null}
    </>
  );
}

interface AmountFormProps {
  readonly vault: Vault;
  readonly again: boolean;
  readonly onAmount: (usd: string) => void;
}

function AmountForm({ vault, again, onAmount }: AmountFormProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    const read = readAmount(text, vault.min_deposit_usd);
    setProblem('problem' in read ? read.problem : undefined);
    if ('usd' in read) onAmount(read.usd);
  };
  return (
    <Panel title={again ? 'Deposit more' : 'Deposit'} aside={<Least vault={vault} />}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Amount in USDC"
          hint={`From a wallet of yours on ${networkWords[vault.network]}. No fee.`}
          inputMode="decimal"
          mono
          value={text}
          error={problem}
          onChange={setText}
        />
        <Button kind="primary" wide type="submit" disabledReason={disabledReasonOf(vault)}>
          Continue to pay
        </Button>
        <p className="note">
          You get a share of the pool. You can take it out whenever you like; if the venue has too little USDC free, you wait in its queue.
        </p>
      </form>
    </Panel>
  );
}

function Least({ vault: { min_deposit_usd } }: { readonly vault: Vault }) {
  return (
    <>
      {isFirst(min_deposit_usd) ? 'first deposit: ' : ''}at least {leastWords(min_deposit_usd)}
    </>
  );
}

function disabledReasonOf({ depositable, not_depositable_reason }: Vault): string | undefined {
  return depositable ? undefined : (not_depositable_reason ?? 'The venue takes no deposits now.');
}

interface PayStepProps {
  readonly vault: Vault;
  readonly amountUsd: string;
  readonly onBack: () => void;
  readonly onDeposit: (id: string) => void;
}

function PayStep({ vault, amountUsd, onBack, onDeposit }: PayStepProps) {
  const pay = useEarnPay({ vault, amountUsd, onDeposit });
  const { state, options } = pay;
  const isStuck = state.phase === 'failed' && state.trouble === 'turned_down' && state.reference !== undefined;
  if (options.length === 0) return <Skeleton lines={6} label="Deposit: loading" />;
  return (
    <div className="stack">
      <EarnPayPanel vault={vault} amountUsd={amountUsd} pay={pay} />
      {isStuck ? (
        <p className="note" role="status">
          Your transfer is not used up. It can be part of another deposit, or an operator sends it back.
        </p>
      ) : null}
      {isUnderWay(state) && !isStuck ? null : (
        <div>
          <Button size="small" onClick={onBack}>
            Change the amount
          </Button>
        </div>
      )}
    </div>
  );
}

function Followed({ id, vault }: { readonly id: string; readonly vault: Vault }) {
  const [over, setOver] = useState(false);
  const answer = useAnswer('earn.movement', { id }, { everyMs: over ? LOOK_AGAIN_MS : FOLLOW_MS });
  const moving = answer.data === undefined || isMoving(answer.data.data);
  useEffect(() => setOver(!moving), [moving]);
  return (
    <Panel title="Your deposit" aside={<a href={sitePaths.earnPositions}>all your deposits</a>}>
      <Loaded answer={answer} what="The deposit">
        {({ data }) => <MovementState movement={data} waiting={vault.queue.waiting} />}
      </Loaded>
    </Panel>
  );
}

/** After a reload: the visitor's movement that is still under way in this venue. */
function LastOpen({ vault }: { readonly vault: Vault }) {
  const movements = useAnswer('earn.movements', { key: vault.key, limit: 5 });
  const open = movements.data?.data.find((movement) => isMoving(movement) || movement.status === 'held');
  if (open === undefined) return null;
  return open.kind === 'deposit' ? (
    <Followed id={open.id} vault={vault} />
  ) : (
    <Empty action={<Button href={sitePaths.earnPositions}>See your place</Button>}>A withdrawal of yours is under way.</Empty>
  );
}
