"""Sentences of our own making for the language bench, apart from those of the tests: dates, periods, and intents.

Seen from Wednesday 18 March 2026, 10:00 in Madrid. A period is written `first..last`.
"""

from itertools import product

NOW = "2026-03-18T10:00:00+01:00"

DATES = {
    "en": {
        "let's talk tomorrow": "2026-03-19", "the report is due next monday": "2026-03-23", "we met yesterday": "2026-03-17",
        "on 5 May": "2026-05-05", "May 5th works": "2026-05-05", "in three weeks": "2026-04-08", "ten days ago": "2026-03-08",
        "the day after tomorrow is fine": "2026-03-20", "on the 25th": "2026-03-25", "this friday": "2026-03-20",
        "last tuesday we agreed": "2026-03-17", "by the end of the month": "2026-03-31", "a week from friday": "2026-03-27",
        "the first monday of april": "2026-04-06", "2026-06-01": "2026-06-01", "on 24/12/2026": "2026-12-24",
        "christmas": "2026-12-25", "wednesday of next week": "2026-03-25", "in a fortnight": "2026-04-01",
        "the 3rd of june 2027": "2027-06-03",
    },
    "es": {
        "hablamos mañana": "2026-03-19", "el informe es para el lunes que viene": "2026-03-23", "nos vimos ayer": "2026-03-17",
        "el 5 de mayo": "2026-05-05", "pasado mañana me va bien": "2026-03-20", "dentro de tres semanas": "2026-04-08",
        "hace diez dias": "2026-03-08", "el dia 25": "2026-03-25", "este viernes": "2026-03-20", "anteayer": "2026-03-16",
        "a final de mes": "2026-03-31", "el primer lunes de abril": "2026-04-06", "el 24/12/2026": "2026-12-24",
        "en navidad": "2026-12-25", "el miercoles de la semana que viene": "2026-03-25", "el tres de junio de 2027": "2027-06-03",
        "el jueves 26": "2026-03-26", "de aqui a un mes": "2026-04-18", "el ultimo viernes de marzo": "2026-03-27",
        "el martes pasado": "2026-03-17",
    },
}  # fmt: skip
PERIODS = {
    "en": {
        "sales in Q1": "2026-01-01..2026-03-31", "revenue last quarter": "2025-10-01..2025-12-31", "this month": "2026-03-01..2026-03-31",
        "orders of last month": "2026-02-01..2026-02-28", "from january to march": "2026-01-01..2026-03-31",
        "the last 30 days": "2026-02-17..2026-03-18", "year to date": "2026-01-01..2026-03-18", "in 2024": "2024-01-01..2024-12-31",
        "the first half of 2025": "2025-01-01..2025-06-30", "last year": "2025-01-01..2025-12-31", "since february": "2026-02-01..2026-03-18",
        "march 2025": "2025-03-01..2025-03-31", "last week": "2026-03-09..2026-03-15", "Q4 2025": "2025-10-01..2025-12-31",
        "the previous quarter": "2025-10-01..2025-12-31", "from 1 to 15 february": "2026-02-01..2026-02-15",
        "between 2023 and 2025": "2023-01-01..2025-12-31", "next month": "2026-04-01..2026-04-30", "two years ago": "2024-01-01..2024-12-31",
        "the third quarter of last year": "2025-07-01..2025-09-30",
    },
    "es": {
        "ventas del T1": "2026-01-01..2026-03-31", "ingresos del trimestre pasado": "2025-10-01..2025-12-31", "este mes": "2026-03-01..2026-03-31",
        "pedidos del mes pasado": "2026-02-01..2026-02-28", "de enero a marzo": "2026-01-01..2026-03-31",
        "los ultimos 30 dias": "2026-02-17..2026-03-18", "en lo que va de año": "2026-01-01..2026-03-18", "en 2024": "2024-01-01..2024-12-31",
        "el primer semestre de 2025": "2025-01-01..2025-06-30", "el año pasado": "2025-01-01..2025-12-31", "desde febrero": "2026-02-01..2026-03-18",
        "marzo de 2025": "2025-03-01..2025-03-31", "la semana pasada": "2026-03-09..2026-03-15", "4T 2025": "2025-10-01..2025-12-31",
        "el trimestre anterior": "2025-10-01..2025-12-31", "del 1 al 15 de febrero": "2026-02-01..2026-02-15",
        "entre 2023 y 2025": "2023-01-01..2025-12-31", "el mes que viene": "2026-04-01..2026-04-30", "hace dos años": "2024-01-01..2024-12-31",
        "el tercer trimestre del año pasado": "2025-07-01..2025-09-30",
    },
}  # fmt: skip

_OPENINGS = ("", "please ", "hi, ", "can you ", "i want to ", "could you help me ", "how do i ", "i need to ")
_APERTURAS = ("", "por favor ", "hola, ", "puedes ", "quiero ", "me ayudas a ", "cómo puedo ", "necesito ")
_INTENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "card_lost": (("report a lost card", "block my stolen card", "my card is gone, stop it", "freeze a missing card"), ("bloquear mi tarjeta perdida", "denunciar una tarjeta robada", "parar la tarjeta que he perdido", "congelar la tarjeta extraviada")),
    "card_new": (("order a new card", "get a replacement card", "request another card", "have a card sent"), ("pedir una tarjeta nueva", "solicitar otra tarjeta", "recibir una tarjeta de repuesto", "que me manden una tarjeta")),
    "card_pin": (("change my pin", "reset the card pin", "unlock my pin", "see the pin of my card"), ("cambiar mi pin", "restablecer el pin de la tarjeta", "desbloquear el pin", "ver el pin de mi tarjeta")),
    "transfer_make": (("send money to a friend", "make a transfer abroad", "transfer 200 euros to Ana", "pay someone by transfer"), ("enviar dinero a un amigo", "hacer una transferencia al extranjero", "transferir 200 euros a Ana", "pagar a alguien por transferencia")),
    "transfer_late": (("know why my transfer has not arrived", "find a transfer that is delayed", "check a pending transfer", "trace a payment that did not arrive"), ("saber por qué no llega mi transferencia", "localizar una transferencia que tarda", "consultar una transferencia pendiente", "rastrear un pago que no ha llegado")),
    "transfer_cancel": (("cancel a transfer", "undo a payment i just made", "stop a transfer by mistake", "recall money i sent"), ("cancelar una transferencia", "anular un pago que acabo de hacer", "parar una transferencia por error", "recuperar dinero que envié")),
    "balance": (("see my balance", "check how much money i have", "know what is left in my account", "view the account balance"), ("ver mi saldo", "consultar cuánto dinero tengo", "saber qué queda en mi cuenta", "mirar el saldo de la cuenta")),
    "fees": (("know the fee for withdrawals", "see why i was charged a fee", "check the cost of paying abroad", "avoid the exchange fee"), ("saber la comisión por sacar dinero", "ver por qué me cobraron una comisión", "mirar el coste de pagar fuera", "evitar la comisión de cambio")),
    "cash": (("withdraw cash", "find an atm nearby", "take money out at a cash machine", "get cash abroad"), ("sacar efectivo", "encontrar un cajero cerca", "retirar dinero en un cajero", "conseguir efectivo fuera")),
    "account_close": (("close my account", "delete my account for good", "leave the bank", "end my contract"), ("cerrar mi cuenta", "borrar mi cuenta para siempre", "dejar el banco", "terminar mi contrato")),
    "address": (("change my address", "update where i live", "register my new home", "correct my postal address"), ("cambiar mi dirección", "actualizar dónde vivo", "registrar mi nueva casa", "corregir mi dirección postal")),
    "limit": (("raise my spending limit", "lower the limit of my card", "know my daily limit", "change the transfer limit"), ("subir mi límite de gasto", "bajar el límite de mi tarjeta", "saber mi límite diario", "cambiar el límite de transferencias")),
}  # fmt: skip


def intent_sentences() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Sentences to learn from and others to be asked: phrases and openings of the second are never met together before."""
    train, test = [], []
    for label, (english, spanish) in _INTENTS.items():
        for phrases, openings in ((english, _OPENINGS), (spanish, _APERTURAS)):
            for (place, phrase), (turn, opening) in product(enumerate(phrases), enumerate(openings)):
                is_held_out = place == 3 or turn >= 6
                (test if is_held_out else train).append((f"{opening}{phrase}", label))
    return train, [(_mistyped(text, number), label) for number, (text, label) in enumerate(test)]


def _mistyped(text: str, number: int) -> str:
    """Every third sentence with two letters swapped, every fourth without its accents."""
    if number % 3 == 0 and len(text) > 12:
        place = 5 + number % (len(text) - 8)
        text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text.translate(str.maketrans("áéíóúñ", "aeioun")) if number % 4 == 0 else text
