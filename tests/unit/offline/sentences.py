"""What people ask, as they write it, in pairs: English | Spanish (| value). Typing errors and missing accents are meant."""

SUMS = """
what is 15% of 1,200? | cuanto es el 15% de 1.200? | 180
15 percent of 80 | el 15 por ciento de 80 | 12
whats 20% of 350 | q es el 20% de 350 | 70
how much is 7 times 8 | cuanto son 7 por 8 | 56
7x8 | 7x8 | 56
12 + 30 | 12 + 30 | 42
calculate 3 plus 4 | calcula 3 mas 4 | 7
can you add 12 and 30? | puedes sumar 12 y 30? | 42
add 12, 15 and 20 | suma 12, 15 y 20 | 47
what's 100 minus 35 | cuanto es 100 menos 35 | 65
subtract 20 from 100 | resta 20 a 100 | 80
divide 144 by 12 | divide 144 entre 12 | 12
144 divided by 12 please | 144 dividido entre 12 por favor | 12
multiply 12 by 12 | multiplica 12 por 12 | 144
square root of 81 | raiz cuadrada de 81 | 9
the sqare root of 144 | la raiz de 144 | 12
half of 250 | la mitad de 250 | 125
double 45 | el doble de 45 | 90
a third of 90 | un tercio de 90 | 30
2 to the power of 10 | 2 elevado a 10 | 1024
5 squared | 5 al cuadrado | 25
average of 4, 5 and 9 | la media de 4, 5 y 9 | 6
the average of 10 and 20 | el promedio de 10 y 20 | 15
sum of 4 and 5 | la suma de 4 y 5 | 9
20% off 50 | 20% de descuento sobre 50 | 40
80 with a 25% discount | 80 con un 25% de descuento | 60
100 plus 21% vat | 100 mas el 21% de iva | 121
add 21% VAT to 350 | añade el 21% de iva a 350 | 423.5
tip of 15% on 84 dollars | propina del 15% sobre 84 dolares | 12.6
how much is a 10% tip on 45 euros | cuanto es una propina del 10% sobre 45 euros | 4.5
increase 1200 by 5% | aumenta 1200 un 5% | 1260
reduce 80 by 10% | reduce 80 un 10% | 72
what percentage of 80 is 20 | que porcentaje de 80 es 20 | 25
30 is what percent of 120? | que porcentaje es 30 de 120? | 25
percent change from 80 to 100 | variacion porcentual de 80 a 100 | 25
three hundred divided by twelve | trescientos entre doce | 25
twelve times twelve | doce por doce | 144
two thousand plus five hundred | dos mil mas quinientos | 2500
twenty percent of eighty | el veinte por ciento de ochenta | 16
(3 + 4) * 12 | (3 + 4) * 12 | 84
3 + 4 * 2 | 3 + 4 * 2 | 11
2^8 | 2^8 | 256
1500*1.21 | 1500*1,21 | 1815
49.90 times 12 | 49,90 por 12 | 598.8
how much would 3 * 45 be? | cuanto seria 3 * 45? | 135
split 340 between 4 people | reparte 340 entre 4 personas | 85
340 split between 4 | 340 repartidos entre 4 | 85
difference between 100 and 64 | diferencia entre 100 y 64 | 36
what is 1/4 of 200 | cuanto es 1/4 de 200 | 50
1200 / 12 | 1200 / 12 | 100
what do i get if i divide 1000 by 8 | que me sale si divido 1000 entre 8: 1000 / 8 | 125
5 + 5 + 5 | 5 + 5 + 5 | 15
0.5 * 8 | 0,5 * 8 | 4
1.5 times 4 | 1,5 por 4 | 6
compute 17 times 3 | calculame 17 por 3 | 51
hey what's 9 times 9 | oye cuanto es 9 por 9 | 81
10% of 2.5k | el 10% de 2.500 | 250
what is 250 less 40 | cuanto es 250 menos 40 | 210
quick: 18 + 27 | rapido: 18 + 27 | 45
please do 64 / 4 | haz 64 / 4 porfa | 16
"""
UNITS = """
convert 5 km to miles | convierte 5 km a millas
how many miles is 10 km | cuantas millas son 10 km
10 inches in cm | 10 pulgadas en cm
100 fahrenheit in celsius | 100 fahrenheit en celsius
30 degrees celsius to fahrenheit | 30 grados celsius a fahrenheit
70 kg in pounds lb | pasa 70 kg a lb
how many grams are 2 kilos | cuantos gramos son 2 kilos
2 litres to gallons | 2 litros a galones
how many minutes are 3 hours | cuantos minutos son 3 horas
how many hours is 90 minutes | cuantas horas son 90 minutos
how many feet are in 2 metres | cuantos pies son 2 metros
60 mph in km/h | 60 mph en km/h
5 miles to kilometers | 5 millas a kilometros
3 days in hours | 3 dias en horas
convert 8 ounces to grams | convierte 8 onzas a gramos
1500 metres in km | 1500 metros en km
2 weeks in days | 2 semanas en dias
"""
TIMES = """
what time is it in Tokyo? | que hora es en Tokio?
time in new york | hora en nueva york
whats the time in london now | que hora es ahora en londres
what time is it | que hora es
current time in Paris please | hora actual en Paris por favor
do you know the time in Sydney? | sabes la hora en Sidney?
tell me the time in berlin | dime la hora en berlin
what time is it in Mexico City and Bogota | que hora es en Ciudad de Mexico y Bogota
local time in lima | hora local en lima
and what time is it in dubai? | y que hora es en dubai?
what time do they have in japan | que hora tienen en japon
what's the hour in buenos aires | que hora sera en buenos aires
which time zone is madrid in | en que zona horaria esta madrid
is it night in singapore? what time is it there in singapore | es de noche en singapur? que hora es en singapur
waht time is it in toronto | ke hora es en toronto
"""
CONVERSIONS = """
convert 3pm from Madrid to New York | convierte las 3 de la tarde de Madrid a Nueva York
what is 10am London time in Tokyo | que hora es en Tokio cuando son las 10 en Londres
if it is 9:00 in Paris what time is it in Lima? | si son las 9:00 en Paris que hora es en Lima?
when it's noon in Berlin, what time is it in Mexico? | cuando es mediodia en Berlin, que hora es en Mexico?
15:30 Madrid time in Chicago | las 15:30 de Madrid en Chicago
8am in Bogota is what time in Madrid | las 8 de la mañana en Bogota que hora son en Madrid
convert 10:00 UTC to Madrid time | pasa las 10:00 UTC a hora de Madrid
what's 5pm new york in spain | que son las 5pm de nueva york en españa
"""
TODAY = """
what day is it today? | que dia es hoy?
what's the date today | que fecha es hoy
todays date | fecha de hoy
which week is it | en que semana estamos
what is today's date please | cual es la fecha de hoy por favor
what day of the week is it today | que dia de la semana es hoy
what year is it | en que año estamos
"""
DAYS = """
how many days until christmas? | cuantos dias faltan para navidad?
how many days until 31 December | cuantos dias quedan hasta el 31 de diciembre
what day of the week is 3 March 2027 | que dia de la semana es el 3 de marzo de 2027
what day is tomorrow | que dia es mañana
how long until the 1st of january | cuanto falta para el 1 de enero
which weekday was 5 May 2025 | que dia cayo el 5 de mayo de 2025
what date is next friday | que fecha es el proximo viernes
how many days ago was 1 October | cuantos dias hace del 1 de octubre
days left until new year's eve | dias que faltan para nochevieja
"""
BOOKINGS = """
book a meeting with Ana tomorrow at 10 | pon una reunion con Ana mañana a las 10
tennis with Marta every thursday at 7pm | tenis con Marta todos los jueves a las 7 de la tarde
french class on mondays and wednesdays at 18:00 until june | clase de frances los lunes y miercoles a las 18:00 hasta junio
call with the team every other friday at 12 | llamada con el equipo cada dos viernes a las 12
schedule a call with John on friday at 3pm | agenda una llamada con Juan el viernes a las 15h
meeting with the sales team next tuesday at 11 | reunion con el equipo de ventas el martes que viene a las 11
lunch with maria thursday 1pm | comida con maria jueves 14:00
dentist on 3 march at 9:30 | dentista el 3 de marzo a las 9:30
can you book me a meeting with Marta on wednesday at 5? | me puedes poner una reunion con Marta el miercoles a las 5?
i need an appointment with dr smith on monday at 10 | necesito una cita con el dr perez el lunes a las 10
set up a call with bob tomorrow morning at 9 | organiza una llamada con roberto mañana por la mañana a las 9
put a demo in my calendar for monday at 4 | mete una demo en mi calendario el lunes a las 4
arrange a 30 minute meeting with Pedro tomorrow at 12 | organiza una reunion de 30 minutos con Pedro mañana a las 12
add an interview on 12 december from 10 to 11 | añade una entrevista el 12 de diciembre de 10 a 11
new appointment friday 12:00 with the bank | nueva cita viernes 12:00 con el banco
call with Bob in two hours | llamada con Luis dentro de dos horas
haircut saturday 10am | peluqueria el sabado a las 10
coffee with Laura tomorrow at half past nine | cafe con Laura mañana a las nueve y media
appointment tomorrow 10am with Dr. Brown | cita mañana 10am con Dr. Pérez
i'd like to meet Carla on thursday at 16:00 | quiero quedar con Carla el jueves a las 16:00
remind me to call the supplier tomorrow at 9 | recuerdame llamar al proveedor mañana a las 9
book a slot with the accountant next monday at quarter past four | reserva cita con el gestor el lunes que viene a las cuatro y cuarto
pls schedule a metting with Tom tomorow at 4pm | agendame una reunion con Tomas mñn a las 16h
dinner with the client on friday at 9pm | cena con el cliente el viernes a las 21h
appointment the day after tomorrow at a quarter to four | cita pasado mañana a las 4 menos cuarto
meeting tomorrow from 10 to 11:30 with Eva | reunion mañana de 10 a 11:30 con Eva
create an appointment for tomorrow at noon | crea una cita para mañana al mediodia
schedule a review with the team on the 20th at 10 | pon una revision con el equipo el dia 20 a las 10
physio on tuesday at 18:30 | fisio el martes a las 18:30
"""
MOVES = """
move my meeting with Ana to friday 3pm | mueve la reunion con Ana al viernes a las 15h
reschedule the call with John to monday at 9 | cambia la llamada con Juan al lunes a las 9
postpone my meeting with Luis to thursday at 4pm | aplaza mi reunion con Luis al jueves a las 16h
change the appointment with dr smith to next tuesday at 10 | pasa la cita con el dr perez al martes que viene a las 10
push the demo to 5pm | retrasa la demo a las 5
bring the interview with Eva forward to 9am | adelanta la entrevista con Eva a las 9
can we move the lunch with maria to 2pm | podemos mover la comida con maria a las 14h
move the dentist to wednesday at 10 | mueve el dentista al miercoles a las 10
shift my call with Bob to tomorrow at 11 | pospon mi llamada con Bob a mañana a las 11
"""
CANCELLATIONS = """
cancel my meeting with Ana | cancela mi reunion con Ana
delete the appointment with dr smith | borra la cita con el dr perez
remove the call with John on friday | elimina la llamada con Juan del viernes
please cancel tomorrow's dentist appointment | por favor cancela la cita del dentista de mañana
call off the meeting with Luis | anula la reunion con Luis
cancel the demo on monday | quita la demo del lunes
i can't make the meeting with Eva, cancel it | no puedo ir a la reunion con Eva, cancelala
drop my appointment tomorrow at 10 | suprime mi cita de mañana a las 10
"""
AVAILABILITY = """
am I free on thursday at 11? | estoy libre el jueves a las 11?
do i have time tomorrow afternoon | tengo hueco mañana por la tarde
is friday at 3pm free? | esta libre el viernes a las 15h?
am i busy on monday | estoy ocupado el lunes
when am i free tomorrow? | cuando estoy libre mañana?
any free slot on wednesday? | hay algun hueco el miercoles?
check if i'm available on 12 december at 10 | mira si estoy disponible el 12 de diciembre a las 10
could i fit in a meeting tomorrow at 4? | me cabe una reunion mañana a las 4?
"""
AGENDAS = """
what appointments do i have this week? | que citas tengo esta semana?
show my calendar | enseñame el calendario
what meetings do I have today | que reuniones tengo hoy
what's on my agenda tomorrow | que hay en mi agenda mañana
list my appointments | lista mis citas
do i have any meetings on friday? | tengo alguna reunion el viernes?
when is my meeting with Ana? | cuando es mi reunion con Ana?
my agenda for next week | mi agenda de la semana que viene
what do i have on monday | que tengo el lunes
at what time is my call with John | a que hora es mi llamada con Juan
any appointments today? | alguna cita hoy?
show me my meetings next month | muestrame mis reuniones del mes que viene
do I have something tomorrow? | tengo algo mañana?
"""
QUESTIONS = """
how much can i spend on meals when travelling? | cuanto puedo gastar en comidas durante un viaje?
how many days of holidays do I have? | cuantos dias de vacaciones tengo?
what does the Team plan cost? | cuanto cuesta el plan Equipo?
what is the hotel limit? | cual es el limite para hoteles?
can I work from home? | puedo trabajar desde casa?
how many days per week can i work remotely | cuantos dias a la semana puedo teletrabajar
when does the office open? | a que hora abre la oficina?
who do i call in an emergency? | a quien llamo en una emergencia?
is alcohol reimbursed? | se reembolsa el alcohol?
do i need a receipt for a taxi? | necesito un justificante para un taxi?
what's the deadline for expense claims | que plazo hay para presentar gastos
where is our data stored? | donde se guardan los datos?
is there a free plan? | hay un plan gratuito?
what happens if I get sick? | que pasa si me pongo enfermo?
can i fly business class? | puedo volar en business?
how long are backups kept? | cuanto tiempo se guardan las copias de seguridad?
what must I do in my first week? | que tengo que hacer en mi primera semana?
who approves claims above 500 euros? | quien aprueba los gastos de mas de 500 euros?
what is the budget for equipment at home? | que presupuesto hay para equipamiento en casa?
what does the travel policy say about hotels | que dice la politica de viajes sobre los hoteles
what if i lose a receipt? | que hago si pierdo un justificante?
how much is paid per kilometre? | cuanto se paga por kilometro?
can i carry over holidays to next year? | puedo pasar vacaciones al año siguiente?
when are approved claims paid? | cuando se pagan los gastos aprobados?
are team lunches allowed? | estan permitidas las comidas de equipo?
how far in advance must trips be booked | con cuanta antelacion se reservan los viajes
can I work from another country? | puedo trabajar desde otro pais?
when do i need a medical certificate? | cuando necesito un justificante medico?
how much may a hotel in london cost | cuanto puede costar un hotel en londres
are taxis paid at night? | se pagan los taxis por la noche?
what is aurora planner? | que es aurora planner?
can i cancel a yearly subscription? | puedo cancelar una suscripcion anual?
how many users does the starter plan have? | cuantos usuarios tiene el plan inicial?
what is the rule for train trips | cual es la norma para los viajes en tren
is breakfast paid? | se paga el desayuno?
where do i pick up my laptop? | donde recojo el portatil?
can I bring my dog to the office? | puedo llevar a mi perro a la oficina?
"""
LISTINGS = """
what documents do you have? | que documentos tienes?
list the documents | lista los documentos
which files can you read? | que archivos puedes leer?
"""
REFUSALS = """
what's the weather like tomorrow? | que tiempo hace mañana?
will it rain in Madrid today? | va a llover hoy en Madrid?
tell me a joke | cuentame un chiste
write a poem about spring | escribe un poema sobre la primavera
translate this text to french | traduce este texto al frances
send an email to Ana | envia un correo a Ana
what's the latest news? | cuales son las ultimas noticias?
who won the world cup? | quien gano el mundial?
play some music | pon musica
order a pizza | pide una pizza
what is the capital of France? | cual es la capital de Francia?
what is the stock price of Apple? | a cuanto cotizan las acciones de Apple?
convert 100 dollars to euros | convierte 100 dolares a euros
i want to change my password | quiero cambiar mi contraseña
write me a python script | escribeme un programa en python
recommend a restaurant nearby | recomiendame un restaurante cerca
book a flight to Paris | reserva un vuelo a Paris
sing me a song | cantame una cancion
asdf qwerty zxcv | asdf qwerty zxcv
"""
SMALL_TALK = """
hi | hola
good morning | buenos dias
hello there! | hola, buenas!
thanks | gracias
thank you so much | muchas gracias
great, thanks! | genial, gracias!
bye | adios
see you later | hasta luego
what can you do? | que puedes hacer?
help | ayuda
how can you help me? | en que me puedes ayudar?
who are you? | quien eres?
are you a robot? | eres un robot?
how are you? | como estas?
ok | vale
"""
CHARTS = """
make a bar chart of that | hazme un grafico de barras con eso
draw it as a line | dibujalo como linea
show it as a pie chart | muestralo en un grafico circular
plot the result | haz una grafica del resultado
chart it please | grafícalo por favor
turn that into a chart | conviertelo en un grafico
"""
CHART_CHANGES = """
now as a pie | ahora como tarta
as bars instead | mejor en barras
switch the chart to lines | cambia el grafico a lineas
"""
FIGURES = """
sales by customer this year | ventas por cliente este año
which customers owe us the most? | que clientes nos deben mas?
how much did we sell last month? | cuanto vendimos el mes pasado?
margin by country in Q3 | margen por pais en el T3
revenue by month in 2025 | facturacion por mes en 2025
top 5 customers by sales | los 5 mejores clientes por ventas
sales this quarter vs last year | ventas de este trimestre frente al año pasado
show me sales of customers | enseñame las ventas de los clientes
monthly sales of Relecloud | ventas mensuales de Relecloud
what was our profit in march | cual fue nuestro beneficio en marzo
turnover by country year to date | facturacion por pais en lo que va de año
who owes us money | quien nos debe dinero
how much do customers owe us | cuanto nos deben los clientes
sales from january to march by customer | ventas de enero a marzo por cliente
which country has the lowest margin? | que pais tiene menos margen?
revenue of the last 12 months | ingresos de los ultimos 12 meses
sales by custmer last quater | ventas x cliente el trimestr pasado
"""
MORE_QUESTIONS = """
is parking paid? | se paga el aparcamiento?
what does the enterprise plan include? | que incluye el plan empresa?
may i buy a chair for my home office? | puedo comprar una silla para casa?
how do i report sick leave? | como aviso de una baja?
who is my buddy on the first day? | quien me recibe el primer dia?
what is the policy on gifts? | cual es la politica de regalos?
until when can i use unused holidays | hasta cuando puedo usar las vacaciones pendientes
what are the opening hours | cual es el horario de apertura
are flights booked in economy? | se vuela en turista?
do you have a refund policy | teneis politica de devoluciones
"""
MORE_BOOKINGS = """
could you set a meeting with the lawyers for thursday at 10:30 | podrias ponerme una reunion con los abogados el jueves a las 10:30
video call with Berlin office on tuesday at 15:00 | videollamada con la oficina de Berlin el martes a las 15:00
i have to see the notary on 2 december at 12 | tengo que ver al notario el 2 de diciembre a las 12
block tomorrow 9 to 10 for planning | bloquea mañana de 9 a 10 para planificar
meet Sara next wednesday at 5pm | quedar con Sara el miercoles que viene a las 17h
breakfast with Jorge on friday at 8:30 | desayuno con Jorge el viernes a las 8:30
workshop with HR on the 25th from 9 to 13 | taller con RRHH el 25 de 9 a 13
put me down for a call with Nuria tomorrow at 6 | apuntame una llamada con Nuria mañana a las 6
"""
MORE_TIMES = """
what time is it right now in shanghai | que hora es ahora mismo en shanghai
tell me what time it is in los angeles | dime que hora es en los angeles
time in madrid? | hora en madrid?
"""

C, A, D, G = "calculator_agent", "appointments_agent", "documents_agent", "graphing_agent"
TABLES: dict[str, str] = {
    f"{C}/calculate": SUMS,
    f"{C}/convert_units": UNITS,
    f"{C}/current_time": TIMES,
    f"{C}/convert_time": CONVERSIONS,
    f"{C}/today": TODAY,
    f"{C}/count_days": DAYS,
    f"{A}/create": BOOKINGS,
    f"{A}/move": MOVES,
    f"{A}/cancel": CANCELLATIONS,
    f"{A}/availability": AVAILABILITY,
    f"{A}/list": AGENDAS,
    f"{D}/search": QUESTIONS,
    "answer:list": LISTINGS,
    "answer:refusal": REFUSALS,
    "answer:small_talk": SMALL_TALK,
    "erp_agent/measure": FIGURES,
    f"{D}/search ": MORE_QUESTIONS,
    f"{A}/create ": MORE_BOOKINGS,
    f"{C}/current_time ": MORE_TIMES,
    f"{G}/draw": CHARTS,
    f"{G}/change": CHART_CHANGES,
}
"""By what they ask for: an agent's intent, or what the built-in model answers itself."""


def rows() -> list[tuple[str, str, str | None]]:
    """Every sentence with what it asks for and, for a sum, its value."""
    found = []
    for expected, table in TABLES.items():
        for line in table.strip().splitlines():
            english, spanish, *value = (part.strip() for part in line.split("|"))
            found += [(expected.strip(), text, value[0] if value else None) for text in (english, spanish)]
    return found
