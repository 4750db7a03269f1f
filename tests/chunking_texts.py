"""Small texts of our own in several languages and layouts, for the tests of chunkers."""

from ragspine_pg.contract.document import Document

ENGLISH = """---
title: Returns handbook
owner: logistics
---

# Returns

Goods may come back within 30 days. The parcel must be whole. Keep the receipt!

## Refunds

Money goes back to the card that paid. It takes five working days, e.g. a full week with a holiday in it.

| region | days |
|--------|------|
| north  | 5    |
| south  | 7    |

```python
def refund(order):

    # never partial
    return order.total
```

## Exceptions

### Food

Opened food stays with the customer.
"""

ITALIAN = """1. Resi

La merce può tornare entro 30 giorni. Il pacco dev'essere integro. Conservare lo scontrino!

1.1 Rimborsi

Il denaro torna sulla carta che ha pagato. Servono cinque giorni lavorativi, perché la banca è lenta.

1.2 Eccezioni

Il cibo aperto resta al cliente; così è più sicuro.
"""

CHINESE = """中华退货管理办法

第一章 总则
第一条　为了规范退货，制定本办法。本办法自公布之日起施行。
第二条　商品可以在三十天内退回。包裹必须完整！请保留收据。

第二章 退款
第三条　款项退回付款的银行卡，需要五个工作日。
"""

JAPANESE = """# 返品

商品は三十日以内に返品できます。箱は完全でなければなりません。「領収書を保管してください。」

## 返金

支払いに使ったカードへ返金します。五営業日かかります。
"""

PLAIN = """Returns
=======

Goods may come back within 30 days.

Refunds
-------

Money goes back to the card that paid.
It takes five days.

- one item
- another item
"""

TEXTS = {"english": ENGLISH, "italian": ITALIAN, "chinese": CHINESE, "japanese": JAPANESE, "plain": PLAIN}


def document(text: str, title: str = "") -> Document:
    return Document("handbook", text, title=title)
