/** The private key, behind a plain warning. The page shows it once and stores it nowhere. */
import { useState } from 'react';
import { Button, CheckField, CopyButton, Dialog, Panel, SelectField, useToast } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import { OwnerAct } from '../../build/owner-act.tsx';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import type { WalletBalance } from './wallet-words.ts';

export interface ExportPanelProps {
  readonly agent: OwnedAgent;
  readonly balances: readonly WalletBalance[];
}

export function ExportPanel({ agent, balances }: ExportPanelProps) {
  const [open, setOpen] = useState(false);
  return (
    <Panel title="Private key">
      <div className="stack">
        <p>The market keeps the keys of this wallet sealed. You can take a copy; then the market can no longer protect what is in it.</p>
        <div>
          <Button disabledReason={balances.length === 0 ? 'No network is served.' : undefined} onClick={() => setOpen(true)}>
            Export a key
          </Button>
        </div>
      </div>
      {open ? <ExportDialog agent={agent} balances={balances} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function ExportDialog({ agent, balances, onClose }: ExportPanelProps & { readonly onClose: () => void }) {
  const [chain, setChain] = useState<string>(balances[0]?.chain ?? 'solana');
  const [understood, setUnderstood] = useState(false);
  const [key, setKey] = useState<string>();
  const toast = useToast();
  const chosen = balances.find((balance) => balance.chain === chain);
  if (chosen === undefined) return null;
  if (key !== undefined)
    return (
      <Dialog open onClose={onClose} title="Private key">
        <div className="stack">
          <p className="mono agent-wallet-address">{key}</p>
          <div className="actions">
            <CopyButton text={key} what="private key" />
            <Button kind="ink" onClick={onClose}>
              Done, hide it
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Export a private key">
      <div className="stack">
        <p className="alert" role="note">
          Whoever sees this key can take everything in the wallet, now and for ever. No limit applies, nobody can undo it, and no support
          can help. Never paste it into a page or a chat.
        </p>
        <SelectField
          label="Wallet"
          value={chain}
          onChange={setChain}
          choices={balances.map(({ chain: value, network }) => ({ value, label: networkWords[network] }))}
        />
        <CheckField label="I understand, and nobody can see my screen" checked={understood} onChange={setUnderstood} />
        {understood ? (
          <OwnerAct
            name="wallets.exportKey"
            args={{ id: agent.slug, chain: chosen.chain }}
            ownerWallet={agent.owner_wallet}
            label="Show the key"
            busy="Opening"
            moves
            effect="The signature asks for this key alone; signing costs nothing."
            invalidates={['wallets.log', 'moves.list']}
            onDone={({ data }) => {
              if (data.private_key !== null) return setKey(data.private_key);
              toast('The export waits a day. Come back then, or cancel it if it was not you.');
              onClose();
            }}
          />
        ) : null}
      </div>
    </Dialog>
  );
}
