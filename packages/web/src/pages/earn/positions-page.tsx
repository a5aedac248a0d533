/** The visitor's positions: present value, deposits, gain, withdrawal, and every movement with its state. */
import './earn.css';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, Empty, Loaded, Skeleton } from '../../ui/index.ts';
import { WaitingMoves } from '../shared/waiting-moves.tsx';
import { MovementsSection } from './movements-section.tsx';
import { PositionsTable, usePositions } from './positions-table.tsx';

function PositionsPage() {
  const positions = usePositions();
  const isOff = positions.data === undefined && positions.error?.status === 503;
  return (
    <div className="wrap earn">
      <header className="page-head">
        <div className="earn-head">
          <h1>Your deposits</h1>
          <Button href={sitePaths.earn}>All venues</Button>
        </div>
        <p className="lead">
          Your share of each pool, and that of your agents. Values are what the venue would pay now; they rise and fall.
        </p>
      </header>
      {isOff ? (
        <Empty action={<Button href={sitePaths.guide('earn')}>How it works</Button>}>No venue is configured here.</Empty>
      ) : (
        <>
          <Loaded answer={positions} what="Your deposits" skeleton={<Skeleton lines={6} />}>
            {({ data }) =>
              data.length === 0 ? (
                <Empty
                  action={
                    <Button kind="ink" href={sitePaths.earn}>
                      See the venues
                    </Button>
                  }
                >
                  You have no share of any pool. Read the risk of a venue before its rate.
                </Empty>
              ) : (
                <PositionsTable positions={data} />
              )
            }
          </Loaded>
          <WaitingMoves of={({ kind }) => kind === 'earn_withdrawal'} invalidates={['earn.positions', 'earn.movements']} />
          <MovementsSection />
          <ApiCalls
            calls={[
              { name: 'earn.positions', args: {} },
              { name: 'earn.movements', args: {} },
            ]}
          />
        </>
      )}
    </div>
  );
}

export const page = definePage({ head: () => ({ title: 'Your deposits', unlisted: true }), Component: PositionsPage });
