/** Exporting the visitor’s data, and closing the account for ever. */
import { exportSections } from '@market/contract';
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { useSessionChanged } from '../../data/session.ts';
import { Button, CheckField, Dialog, Loaded, Panel, SelectField, useToast } from '../../ui/index.ts';
import { OwnerAct } from '../build/owner-act.tsx';
import { ClosingState } from '../shared/closing-state.tsx';
import { SaveCsv } from '../shared/save-csv.tsx';

/** `wallet`: a wallet without an account, which must sign. */
export function DataPanel({ wallet }: { readonly wallet?: string }) {
  const [section, setSection] = useState<string>('all');
  const [isClosing, setClosing] = useState(false);
  const path = `/api/account/export?section=${section}`;
  return (
    <Panel title="Your data">
      <div className="stack">
        <SelectField
          label="What to take along"
          value={section}
          onChange={setSection}
          choices={['all', ...exportSections].map((value) => ({ value, label: value === 'all' ? 'Everything' : value.replace('_', ' ') }))}
        />
        <SaveCsv path={path} name={`my-data-${section}`} />
        <p>
          <a href={path} download={`my-data-${section}.json`}>
            Save as JSON
          </a>
        </p>
        <p className="note">
          Closing deletes what identifies you and what you wrote. Books and other people’s orders stay and speak of a closed account. Nobody
          can undo it.
        </p>
        <div>
          <Button onClick={() => setClosing(true)}>{wallet === undefined ? 'Close the account' : 'Close what this wallet has here'}</Button>
        </div>
      </div>
      {isClosing ? <CloseDialog {...(wallet !== undefined && { wallet })} onClose={() => setClosing(false)} /> : null}
    </Panel>
  );
}

function CloseDialog({ wallet, onClose }: { readonly wallet?: string; readonly onClose: () => void }) {
  const state = useAnswer('account.closing', {});
  const [isSure, setSure] = useState(false);
  const toast = useToast();
  const sessionChanged = useSessionChanged();
  return (
    <Dialog open onClose={onClose} title="Close for ever">
      <div className="stack">
        <Loaded answer={state} what="What is open">
          {({ data }) => (
            <>
              <ClosingState {...data} />
              {data.open.length > 0 ? null : (
                <>
                  <CheckField label="I have what I need, and close everything for ever" checked={isSure} onChange={setSure} />
                  {isSure ? (
                    <OwnerAct
                      name="account.close"
                      args={{ close_agents: true }}
                      ownerWallet={wallet ?? null}
                      label="Close for ever"
                      busy="Closing"
                      moves
                      effect="It closes everything for ever."
                      invalidates={['moves.list', 'account.closing']}
                      onDone={({ data: { status } }) => {
                        toast(status === 'closed' ? 'Closed.' : 'It closes in a day. You can cancel it until then.');
                        onClose();
                        if (status === 'closed') void sessionChanged();
                      }}
                    />
                  ) : null}
                </>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}
