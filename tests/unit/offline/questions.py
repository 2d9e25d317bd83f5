"""What people ask the whole first team, as they write it, in pairs, with what must come of it.

English | Spanish | what must come of it. ` > ` parts the messages of a conversation; the last one is judged. The day is
Monday 16 November 2026, 10:00 in Madrid; the calendar holds what `asking_team.APPOINTMENTS` lists. What must come of it:

    says 180                  the answer has all of these words; `/` parts what will do alike
    books 2026-11-17 10:00    the approval of a new appointment at this time is asked for
    does move_appointment     approvals of exactly these changes are asked for, in this order
    moves …, cancels ana      the approval of such a change, of the appointment whose title has the word
    measure sales customer    the ERP computes this measure; the further words stand in what it was asked
    draws pie                 a chart is drawn (last), of this kind if one is named
    finds customers           the ERP lists these records or shows one
    talks, refuses, asks      small talk; what it cannot do; a question back or a choice offered
"""

from pathlib import Path

SUMS = """
whats 17 plus 26 minus 4 | cuanto es 17 mas 26 menos 4 | says 39
how much do 3 coffees at 2.40 cost | cuanto cuestan 3 cafes a 2,40 | says 7.2
i bought 12 chairs at 49.90 each, how much is that in total? | he comprado 12 sillas a 49,90 cada una, cuanto es en total? | says 598.8
half of 3,500 pls | la mitad de 3.500 porfa | says 1750
a quarter of 640 | un cuarto de 640 | says 160
what's 1.5 million divided by 12 | cuanto es 1,5 millones entre 12 | says 125000
sqrt of 2025 | raiz de 2025 | says 45
9 cubed | 9 al cubo | says 729
what is 8 times 7 times 2 | cuanto es 8 por 7 por 2 | says 112
sum 120, 340 and 90 and take away 50 | suma 120, 340 y 90 y quitale 50 | says 500
twenty-five times forty | veinticinco por cuarenta | says 1000
three quarters of 200 | tres cuartos de 200 | says 150
can u divide 1,000 by 3? | puedes dividir 1.000 entre 3? | says 333.3
what is 45 + 55 > and divided by 4? | cuanto es 45 + 55 > y dividido entre 4? | says 25
12*15 > add 20 to that | 12*15 > sumale 20 | says 200
what's 250 + 250 > and 21% of that | cuanto es 250 + 250 > y el 21% de eso | says 105
"""
PERCENTAGES = """
21% vat on 480 euros | el 21% de iva de 480 euros | says 100.8
price with vat of 480 euros at 21% | precio con iva de 480 euros al 21% | says 580.8
what is 15 percnt of 1200 | cuanto es el 15 porciento de 1200 | says 180
if something costs 80 and has 30% off how much do i pay | si algo cuesta 80 y tiene un 30% de descuento cuanto pago | says 56
we went from 200 to 250 customers, what increase is that in percent? | pasamos de 200 a 250 clientes, que aumento es en porcentaje? | says 25
45 out of 60 as a percentage | 45 de 60 en porcentaje | says 75
what percent is 18 of 72 | que porcentaje es 18 de 72 | says 25
my salary is 2000 and they raise it by 3%, how much will i get? | mi sueldo es 2000 y me lo suben un 3%, cuanto cobrare? | says 2060
"""
UNITS = """
how many ounces in half a kilo | cuantas onzas hay en medio kilo | says 17.6
2 weeks in days | 2 semanas en dias | says 14
how many days are 3 weeks? | cuantos dias son 3 semanas? | says 21
how many seconds are there in an hour | cuantos segundos hay en una hora | says 3600
180 cm in feet | 180 cm en pies | says 5.9
how much is a pound in kilos | cuanto es una libra en kilos | says 0.45
25 c to f | 25 c a f | says 77
how many liters is a gallon | cuantos litros es un galon | says 3.78
marathon is 42.195 km, how many miles is that? | un maraton son 42,195 km, cuantas millas son? | says 26.2
500 mb in gb | 500 mb en gb | says 0.5 / 0.48
how many months in 2 years | cuantos meses hay en 2 años | says 24
half an hour in minutes | media hora en minutos | says 30
how many square metres is a hectare | cuantos metros cuadrados tiene una hectarea | says 10000
100 km/h in mph | 100 km/h en mph | says 62.1
5 km in miles > and in metres? | 5 km en millas > y en metros? | says 5000
"""
DAYS = """
what day of the week is 14 february 2027 | que dia de la semana es el 14 de febrero de 2027 | says sunday/domingo
which day does christmas fall on this year | en que dia cae navidad este año | says friday/viernes
how many days between 1 march and 15 april | cuantos dias hay entre el 1 de marzo y el 15 de abril | says 45
how many days from today to 31 december? | cuantos dias van de hoy al 31 de diciembre? | says 45
what date is it in 3 weeks | que fecha sera dentro de 3 semanas | says 7 december/7 de diciembre
90 days from today, what date is that? | dentro de 90 dias que fecha es? | says 14 february/14 de febrero
how many weeks until new year | cuantas semanas faltan para año nuevo | says 6
what was the date 10 days ago | que fecha era hace 10 dias | says 6 november/6 de noviembre
was 12 october 2026 a monday? | el 12 de octubre de 2026 fue lunes? | says monday/lunes
whats tomorrows date | que fecha es mañana | says 17 november/17 de noviembre
how long till friday | cuanto queda para el viernes | says 4
"""
ZONES = """
what time is it in Tokyo when it is 9 in Madrid | que hora es en Tokio cuando son las 9 en Madrid | says 17:00
time in Tokio? | hora en tokyo? | says 18:00
whats the time in NYC | ke hora es en nueva york | says 04:00
if its 3pm here what time is it in mexico city | si aqui son las 3 de la tarde que hora es en ciudad de mexico | says 08:00
time difference between Madrid and Bogota | diferencia horaria entre Madrid y Bogota | says 6
how many hours ahead is Tokyo | cuantas horas de diferencia hay con Tokio | says 8
what time is it in Narnia? | que hora es en Narnia? | says narnia
what time is it in Ulan Bator | que hora es en Ulan Bator | says 17:00
18:30 london time in spain | las 18:30 de londres en españa | says 19:30
the call is at 10am new york time, what time is that for me? | la llamada es a las 10 de la mañana de nueva york, que hora es para mi? | says 16:00
what time is it in london > and in sydney? | que hora es en londres > y en sidney? | says 20:00
is Lisbon in the same time zone as Madrid? | lisboa esta en la misma zona horaria que madrid? | says 1/09:00/lisbon/lisboa
what's the time in California right now | que hora es ahora mismo en California | says 01:00
"""
BOOKINGS = """
book me in with Pedro tmrw at 5pm | apuntame con Pedro mñn a las 5 de la tarde | books 2026-11-17 17:00
can you put a meeting w/ the auditors on thursday at 12? | me pones una reunion con los auditores el jueves a las 12? | books 2026-11-19 12:00
schedule 45 min with Laura on the 24th at 11:30 | agenda 45 min con Laura el 24 a las 11:30 | books 2026-11-24 11:30
I want to meet Carlos on wednesday morning at ten | quiero reunirme con Carlos el miercoles por la mañana a las diez | books 2026-11-18 10:00
appointment w Dr. Ruiz next monday 8.30 | cita con el Dr. Ruiz el proximo lunes 8.30 | books 2026-11-23 08:30
book a meeting with Eva on friday > at 4pm | pon una reunion con Eva el viernes > a las 16h | books 2026-11-20 16:00
schedule a call with Juan > tomorrow at noon | agenda una llamada con Juan > mañana a mediodia | books 2026-11-17 12:00
book a meeting with Eva on friday at 4pm > no, better at 5 | pon una reunion con Eva el viernes a las 16h > no, mejor a las 17h | books 2026-11-20 17:00
reserve tomorrow from 3 to 4pm for the budget | reserva mañana de 3 a 4 de la tarde para el presupuesto | books 2026-11-17 15:00
meeting with Ana tomorrow at 10:30 | reunion con Ana mañana a las 10:30 | says 10:00/11:00
"""
CHANGES = """
can you move my meeting with ana to wednesday at 12 | puedes pasar mi reunion con ana al miercoles a las 12 | moves 2026-11-18 12:00
dentist: change it to friday at 9 | el dentista: cambialo al viernes a las 9 | moves 2026-11-20 09:00
i need to push the call with luis back one hour | necesito retrasar una hora la llamada con luis | moves 2026-11-18 17:00
move tomorrow's meeting to thursday same time | mueve la reunion de mañana al jueves a la misma hora | says dentist
cancel the dentist | cancela el dentista | cancels dentist
i cant make lunch with marta, please cancel | no puedo ir a la comida con marta, anulala por favor | cancels marta
what do i have tomorrow? > cancel it | que tengo mañana? > cancelala | cancels ana
cancel my meeting with Roberto | cancela mi reunion con Roberto | says roberto/no appointment/ninguna cita
"""
AGENDA = """
whats on today | que tengo hoy | says nothing/no appointments/no hay/ninguna/no tienes
do i have anything with ana this week? | tengo algo con ana esta semana? | says ana & 10:00
when's my dentist appointment | cuando tengo el dentista | says 19 & 9:30
who am i having lunch with on friday? | con quien como el viernes? | says marta
am i free tomorrow at 10? | estoy libre mañana a las 10? | says ana
am i free tomorrow at 4pm? | estoy libre mañana a las 16h? | says free/libre
find me a free hour on thursday | buscame una hora libre el jueves | says thursday/jueves
is wednesday afternoon free | tengo libre la tarde del miercoles | says luis/16:00
how many meetings do i have this week | cuantas reuniones tengo esta semana | says ana & luis
what's my next appointment? | cual es mi proxima cita? | says ana
"""
NO_ACTION = """
don't cancel my meeting with Ana | no canceles mi reunion con Ana | changes nothing
did I cancel my meeting with Ana? | cancele mi reunion con Ana? | changes nothing
how do i cancel an appointment? | como se cancela una cita? | changes nothing
should i move the meeting with luis to friday? | deberia mover la reunion con luis al viernes? | changes nothing
I already booked the dentist for thursday | ya reserve el dentista para el jueves | changes nothing
can appointments be moved? | se pueden mover las citas? | changes nothing
book a meeting with Eva on friday at 4pm > forget it | pon una reunion con Eva el viernes a las 16h > dejalo | changes nothing
Ana booked a meeting yesterday | Ana puso una reunion ayer | changes nothing
what happens if I cancel a yearly subscription? | que pasa si cancelo una suscripcion anual? | says 30
the meeting with Ana was great | la reunion con Ana fue genial | changes nothing
what time is it in London tomorrow at 10 for a meeting? | que hora seria en Londres mañana a las 10 para una reunion? | changes nothing
"""
DOCUMENTS = """
how much can i spend on food when im travelling for work | cuanto me puedo gastar en comer cuando viajo por trabajo | says 45
how many vacation days do we get | cuantos dias libres tenemos al año | says 25
can i wfh on mondays and fridays? | puedo teletrabajar lunes y viernes? | says three days/tres días
im sick today, what do i have to do | hoy estoy malo, que tengo que hacer | says 10:00
do they pay for my taxi at 11pm | me pagan el taxi a las 11 de la noche | says 22:00
how much per km if i use my own car? | cuanto pagan el km si voy con mi coche? | says 0.30/0,30
whats the max for a hotel in paris | cual es el maximo para un hotel en paris | says 190
i lost the receipt, now what? | he perdido el ticket, y ahora que? | says statement/declaración
price of the business plan? | precio del plan empresa? | says 14
where are the servers | donde estan los servidores | says frankfurt/fráncfort
can i get my money back if i cancel the yearly plan | me devuelven el dinero si cancelo el plan anual | says 30
how many parking spots are there at the office? | cuantas plazas de aparcamiento hay en la oficina? | says 40
how much do i get for a new chair | cuanto me dan para una silla nueva | says 600
when is the claim paid once its approved | cuando me pagan un gasto aprobado | says salary/nómina
what does it say about alcohol | que dice del alcohol | says never/nunca
is there a limit for meals? > and for hotels? | hay limite para comidas? > y para hoteles? | says 130
until what time is the valencia office open | hasta que hora abre la oficina de valencia | says 20:30
how often are backups made | cada cuanto se hacen copias de seguridad | says six hours/seis horas
how many children does the CEO have? | cuantos hijos tiene el director general? | says not/no
"""
ERP = """
who owes us the most | quien nos debe mas pasta | measure receivables customer
whats our turnover this year | cuanto llevamos facturado este año | measure sales
sales with VAT by month | ventas con iva por meses | measure sales_with_vat month
how many units of each product did we sell in 2026 | cuantas unidades de cada producto vendimos en 2026 | measure units_sold item
cost of goods sold last quarter | coste de ventas del trimestre pasado | measure cost_of_sales
which products leave us the most margin? | que productos nos dejan mas margen? | measure gross_margin item
are we losing money on any product | hay algun producto en el que perdamos dinero | measure losses
margin % per category | % de margen por categoria | measure margin_percent category
how many invoices did we issue in march | cuantas facturas hicimos en marzo | measure invoice_count
average ticket per customer | ticket medio por cliente | measure average_invoice customer
returns by customer | devoluciones por cliente | measure credit_memos customer
how much is past due and from whom | cuanto esta vencido y de quien | measure overdue_receivables
how long do our customers take to pay us | cuanto tardan los clientes en pagarnos | measure days_sales_outstanding
what do we owe to each supplier | que le debemos a cada proveedor | measure payables vendor
which supplier bills are overdue? | que facturas de proveedores estan vencidas? | measure overdue_payables
how much have we spent with suppliers this year | cuanto hemos gastado con proveedores este año | measure purchases
how much is the inventory worth by category | cuanto vale el inventario por categoria | measure stock_value category
how much stock is left of each item | cuanto stock queda de cada articulo | measure stock_quantity item
what are we out of | que productos estan agotados | measure out_of_stock
orders pending to ship | pedidos pendientes de envio | measure orders_to_ship
number of open orders by customer | numero de pedidos abiertos por cliente | measure open_order_count customer
how much do we have in open quotes | cuanto tenemos en ofertas abiertas | measure open_quotes
what purchase orders are we still waiting for | que pedidos de compra estamos esperando | measure open_purchase_orders
operating expenses by month | gastos de explotacion por mes | measure expenses month
are we profitable this year? | estamos ganando dinero este año? | measure net_income
how much cash do we have | cuanta caja tenemos | measure cash
how many clients do we have | cuantos clientes tenemos | measure customer_count
number of suppliers | numero de proveedores | measure vendor_count
how many products do we have in the catalogue | cuantos articulos tenemos en el catalogo | measure item_count
product sales by category this year | ventas de productos por categoria este año | measure item_sales category
amount invoiced before credit notes | importe facturado antes de abonos | measure invoiced
top 3 salespeople by sales | los 3 mejores comerciales por ventas | measure sales salesperson 3
sales in march compared to last year | ventas de marzo comparadas con el año pasado | measure sales
how much does Terrazas Sotomar owe us > show me its overdue invoices | cuanto nos debe Terrazas Sotomar > enséñame sus facturas vencidas | measure overdue_receivables Sotomar
total sales of all companies this year | ventas de este año en todas las empresas | measure sales Vento
list of suppliers | listado de proveedores | finds vendors
list our warehouses locations | lista de almacenes | finds locations
"""
CHARTS = """
which customers owe us the most? make me a chart | que clientes nos deben mas? hazme un grafico | draws
draw a pie of sales by country | dibuja una tarta con las ventas por pais | draws pie
sales by month > as a line | ventas por mes > en lineas | draws line
sales by country > now by customer | ventas por pais > ahora por cliente | measure sales customer
sales by country this year > and last year? | ventas por pais este año > y el año pasado? | measure sales country
graph of our expenses by month | grafica de nuestros gastos por mes | draws
stock value by category, in a bar chart | valor del stock por categoria, en un grafico de barras | draws
sales by customer > only the top 5 | ventas por cliente > solo los 5 primeros | measure sales 5
"""
SMALL_TALK = """
hey there, how's it going | buenas, que tal | talks
thx a lot! | mil gracias! | talks
what are you able to do for me | que sabes hacer | talks
cool | guay | talks
who made you? | quien te ha hecho? | talks
"""
REFUSALS = """
is it going to be sunny on saturday? | hara sol el sabado? | refuses
who is the president of France | quien es el presidente de Francia | refuses
tell me something funny | cuentame algo gracioso | refuses
write an email to my boss saying im sick | escribe un correo a mi jefe diciendo que estoy malo | refuses
buy me a train ticket to Sevilla | compra un billete de tren a Sevilla | refuses
how much is 100 euros in dollars | cuanto son 100 euros en dolares | refuses
what is the meaning of life | cual es el sentido de la vida | refuses
who won the match yesterday | quien gano el partido ayer | refuses
translate good morning into german | traduce buenos dias al aleman | refuses
how do i cook paella | como se hace una paella | refuses
what is bitcoin worth | a cuanto esta el bitcoin | refuses
delete all my files | borra todos mis archivos | refuses
lskdjf lskdf | lskdjf lskdf | refuses
"""

SECOND_SET = """
whats 340 times 12 plus 50 | cuanto es 340 por 12 mas 50 | says 4130
how much is 8 beers at 3.50 | cuanto son 8 cervezas a 3,50 | says 28
gimme 18% of 2,450 | dame el 18% de 2.450 | says 441
two thirds of 900 | dos tercios de 900 | says 600
if i get 35% off 120 what's the final price | si me hacen un 35% de descuento en 120 cual es el precio final | says 78
base 250 plus 10% vat | base 250 mas 10% de iva | says 275
1000 - 15% | 1000 - 15% | says 850
what's 7 squared plus 1 | cuanto es 7 al cuadrado mas 1 | says 50
split a bill of 96 between 3 | divide una cuenta de 96 entre 3 | says 32
100 / 8 > times 2 | 100 / 8 > por 2 | says 25
how many cm in 6 feet | cuantos cm son 6 pies | says 182.8
3 pounds in kg | 3 libras en kg | says 1.36
how many minutes in a week | cuantos minutos tiene una semana | says 10080
convert 68 F to celsius | pasa 68 F a celsius | says 20
how many grams are two ounces | cuantos gramos son dos onzas | says 56.6
quarter of a litre in ml | un cuarto de litro en ml | says 250
what weekday was 20 july 2025 | en que dia de la semana cayo el 20 de julio de 2025 | says sunday/domingo
days between today and 6 january | dias entre hoy y el 6 de enero | says 51
what will the date be in 45 days | que fecha sera en 45 dias | says 31 december/31 de diciembre
how many days left in november? | cuantos dias quedan de noviembre? | says 14
time now in berlin pls | hora de ahora en berlin porfa | says 10:00
at 6pm in chicago what time is it in barcelona | a las 6 de la tarde en chicago que hora es en barcelona | says 01:00
how many hours between madrid and los angeles | cuantas horas hay entre madrid y los angeles | says 9
whats the time in gotham city | que hora es en ciudad gotica | says gotham/ciudad gotica
set me a meeting with the bank on the 25th at 9:45 | ponme una reunion con el banco el 25 a las 9:45 | books 2026-11-25 09:45
need to see Paula on thursday at 1pm | tengo que ver a Paula el jueves a las 13h | books 2026-11-19 13:00
video call w Nuria wed 10 to 10:30 | videollamada con Nuria el miercoles de 10 a 10:30 | books 2026-11-18 10:00
book a dentist for next tuesday morning at 9 | pide cita en el dentista el martes que viene por la mañana a las 9 | books 2026-11-24 09:00
book a table > never mind | reserva mesa > da igual | changes nothing
coffee with Ines the day after tomorrow at half four | cafe con Ines pasado mañana a las cuatro y media | books 2026-11-18 16:30
make the call with luis half an hour earlier | adelanta media hora la llamada con luis | moves 2026-11-18 15:30
move ana to thursday at 3pm | pasa lo de ana al jueves a las 15h | moves 2026-11-19 15:00
scrap the lunch with marta | elimina la comida con marta | cancels marta
book a call with Rosa tomorrow at 17:00 > make it 18:00 | agenda una llamada con Rosa mañana a las 17:00 > que sea a las 18:00 | books 2026-11-17 18:00
what have i got on thursday | que tengo puesto el jueves | says 09:30/9:30
any gaps tomorrow afternoon? | tengo algun hueco mañana por la tarde? | says 15:00/free/libre/14:00/12:00
at what time do i meet ana | a que hora he quedado con ana | says 10:00
please do not move anything on friday | por favor no muevas nada el viernes | changes nothing
why was my meeting with ana cancelled? | por que se cancelo mi reunion con ana? | changes nothing
is it possible to cancel a monthly subscription? | se puede cancelar una suscripcion mensual? | says not refunded/no se devuelven/monthly/mensuales
how late can i send my expenses | hasta cuando puedo pasar los gastos | says 30
do i need the boss to approve 700 euros of expenses | necesito aprobacion para un gasto de 700 euros | says finance/financiera
can i fly premium economy to tokyo | puedo volar en turista superior | says seven hours/siete horas
what is included in the team plan price | cuanto vale el plan equipo por usuario | says 8
how many remote days per week are allowed | cuantos dias de teletrabajo por semana se permiten | says three/tres
what do i do on my first day | que hago el primer dia | says 9:30
how do i reach support by phone | como llamo al soporte | says 8:00
sales of last quarter by salesperson | ventas del ultimo trimestre por comercial | measure sales salesperson
who hasn't paid us yet | quien no nos ha pagado todavia | measure receivables
biggest suppliers by purchases this year | mayores proveedores por compras este año | measure purchases vendor
how much money is in the warehouse | cuanto dinero tenemos en stock | measure stock_value
sales per country as a pie chart | ventas por pais en un grafico de tarta | draws pie
profit by month this year > as a line chart | beneficio por mes este año > en un grafico de lineas | draws line
top 10 customers by revenue > and by margin? | los 10 mejores clientes por facturacion > y por margen? | measure gross_margin
customers in france | clientes de francia | finds customers
good evening! | buenas noches! | talks
is this free? are you chatgpt? | eres chatgpt o que eres? | talks
what's the best pizza in town | cual es la mejor pizza de la ciudad | refuses
transfer 500 euros to my brother | haz una transferencia de 500 euros a mi hermano | refuses
who will win the elections | quien va a ganar las elecciones | refuses
"""

_TABLES = {
    "sums": SUMS, "percentages": PERCENTAGES, "units": UNITS, "days": DAYS, "zones": ZONES, "bookings": BOOKINGS,
    "changes": CHANGES, "agenda": AGENDA, "no action": NO_ACTION, "documents": DOCUMENTS, "erp": ERP, "charts": CHARTS,
    "small talk": SMALL_TALK, "refusals": REFUSALS, "second set": SECOND_SET,
}  # fmt: skip
AREAS = {name: table.strip().splitlines() for name, table in _TABLES.items()}


def held_out() -> dict[str, list[str]]:
    """Sets of 60 pairs that were written before the code was looked at, by name; what they scored is in each file."""
    files = sorted((Path(__file__).parent / "held_out").glob("*.txt"))
    return {file.stem: [line for line in file.read_text().splitlines() if line and line[0] != "#"] for file in files}
