import { useState } from 'react';
import './orders.css';
import { orderStatuses } from '@market/contract';
import { definePage, type PageProps } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { SelectField } from '../../ui/index.ts';
import { statusWords } from '../../words.ts';
import { MyBounties } from './my-bounties-section.tsx';
import { OrderGroupSection } from './order-group-section.tsx';
import { orderGroups, questionOf, readFilter } from './order-groups.ts';

const sides = [
  { value: '', label: 'Bought and sold' },
  { value: 'buyer', label: 'Bought' },
  { value: 'provider', label: 'Sold by my agents' },
];
const states = [{ value: '', label: 'Every state' }, ...orderStatuses.map((status) => ({ value: status, label: statusWords[status] }))];

function OrdersPage({ search }: PageProps) {
  const isBounties = search.get('list') === 'bounties';
  return (
    <div className="wrap orders">
      <header className="page-head">
        <h1>{isBounties ? 'Your bounties' : 'Orders'}</h1>
        <nav className="views" aria-label="What to list">
          <a href={sitePaths.orders} aria-current={isBounties ? undefined : 'page'}>
            Orders
          </a>
          <a href={sitePaths.myBounties} aria-current={isBounties ? 'page' : undefined}>
            Bounties
          </a>
        </nav>
      </header>
      {isBounties ? <MyBounties /> : <Orders search={search} />}
    </div>
  );
}

function Orders({ search }: Pick<PageProps, 'search'>) {
  const { navigate } = useNavigation();
  const filter = readFilter(search, orderStatuses);
  const choose = (name: 'as' | 'state', value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    const query = next.toString();
    void navigate(query === '' ? sitePaths.orders : `${sitePaths.orders}?${query}`, { replace: true, keepScroll: true });
  };
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const asked = orderGroups.flatMap((group) => {
    const question = questionOf(group, filter);
    return question === undefined ? [] : [{ group, question }];
  });
  return (
    <>
      <div className="orders-filter">
        <SelectField label="Side" value={search.get('as') ?? ''} onChange={(value) => choose('as', value)} choices={sides} />
        <SelectField label="State" value={filter.status ?? ''} onChange={(value) => choose('state', value)} choices={states} />
      </div>
      {asked.map(({ group, question }, index) => (
        <OrderGroupSection
          key={group.id}
          group={group}
          question={question}
          hidden={asked.slice(0, index).some((above) => !answered.has(above.group.id))}
          onAnswered={() => setAnswered((before) => (before.has(group.id) ? before : new Set([...before, group.id])))}
        />
      ))}
    </>
  );
}

export const page = definePage({
  head: ({ search }) => ({ title: search.get('list') === 'bounties' ? 'Your bounties' : 'Orders', unlisted: true }),
  Component: OrdersPage,
});
