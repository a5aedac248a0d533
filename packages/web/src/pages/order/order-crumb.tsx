import { sitePaths } from '../../site-paths.ts';

/** The way back from a page below an order. */
export function OrderCrumb({ orderId, here }: { readonly orderId: string; readonly here: string }) {
  return (
    <nav className="crumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={sitePaths.orders}>Orders</a>
        </li>
        <li>
          <a className="m" href={sitePaths.order(orderId)}>
            {orderId}
          </a>
        </li>
        <li>{here}</li>
      </ol>
    </nav>
  );
}
