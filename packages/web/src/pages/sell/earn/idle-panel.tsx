/** A deposit out of the agent's server wallet. */
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { Amount, Button, Dialog, Panel, Sum, TextField, useToast } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import { OwnerAct } from '../../build/owner-act.tsx';
import { readAmount } from '../../earn/deposit-draft.ts';
import type { EarnProduct, Vault } from '../../earn/earn-words.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { ChooseVault, firstVault } from './choose-vault.tsx';

export interface IdlePanelProps {
  readonly agent: OwnedAgent;
  readonly products: readonly EarnProduct[];
}

export function IdlePanel({ agent, products }: IdlePanelProps) {
  const [open, setOpen] = useState(false);
  const first = firstVault(products);
  return (
    <Panel title="Idle earnings">
      <div className="stack">
        <p>USDC that waits in {agent.name}’s own wallet can earn in a venue. It becomes the agent’s share of the pool.</p>
        <div>
          <Button
            kind="ink"
            disabledReason={first === undefined ? 'No venue takes part right now.' : undefined}
            onClick={() => setOpen(true)}
          >
            Deposit idle earnings
          </Button>
        </div>
      </div>
      {open && first !== undefined ? <IdleDialog agent={agent} products={products} first={first} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function IdleDialog({ agent, products, first, onClose }: IdlePanelProps & { readonly first: Vault; readonly onClose: () => void }) {
  const toast = useToast();
  const [key, setKey] = useState(first.key);
  const [text, setText] = useState('');
  const [amountUsd, setAmountUsd] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const vault = products.flatMap(({ markets }) => markets).find((candidate) => candidate.key === key) ?? first;
  const balances = useAnswer('wallets.funding', { id: agent.slug }).data?.data.balances ?? [];
  const balance = balances.find(({ network }) => network === vault.network)?.usdc;
  const check = (): void => {
    const read = readAmount(text, vault.min_deposit_usd);
    setProblem('problem' in read ? read.problem : undefined);
    if ('usd' in read) setAmountUsd(read.usd);
  };
  if (amountUsd !== undefined)
    return (
      <Dialog open onClose={onClose} title="Check and deposit">
        <div className="stack">
          <Sum
            lines={[
              { label: 'Leaves the agent’s wallet', value: <Amount usd={amountUsd} network={vault.network} /> },
              { label: 'Goes into', value: vault.label },
            ]}
          />
          <p className="note">The market pays the network’s fee. If the venue does not take it, it goes back to the agent’s wallet.</p>
          <OwnerAct
            name="earn.agentDeposit"
            args={{ id: agent.slug, key: vault.key, amount_usd: amountUsd }}
            ownerWallet={agent.owner_wallet}
            label="Deposit it"
            busy="Sending"
            effect="The signature orders this deposit and no other; signing costs nothing."
            invalidates={['earn.movements', 'earn.positions', 'wallets.funding', 'wallets.log']}
            onDone={({ data }) => {
              toast(data.status === 'failed' ? `Nothing was deposited. ${data.reason ?? ''}` : `On its way into ${vault.label}.`);
              onClose();
            }}
          />
          <div>
            <Button onClick={() => setAmountUsd(undefined)}>Change it</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Deposit idle earnings">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          check();
        }}
      >
        <ChooseVault products={products} value={vault.key} onChange={setKey} />
        <TextField
          label="Amount in USDC"
          hint={
            balance == null
              ? `On ${networkWords[vault.network]}.`
              : `The agent’s wallet holds ${balance} USDC on ${networkWords[vault.network]}.`
          }
          inputMode="decimal"
          mono
          value={text}
          error={problem}
          onChange={setText}
        />
        <div className="actions">
          <Button
            kind="ink"
            type="submit"
            disabledReason={vault.depositable ? undefined : (vault.not_depositable_reason ?? 'It takes no deposits now.')}
          >
            Check the deposit
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </div>
      </form>
    </Dialog>
  );
}
